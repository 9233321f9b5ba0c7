// SPDX-License-Identifier: Apache-2.0
/// How does the training get from one set of members to the next, as planned?
///
/// One change at a time: prepared beside the generation in use, offered to its
/// members, agreed in a first bucket, switched to at a boundary, closed when
/// the first first bucket of the new generation is complete.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "runtime/generation/membership_state.hh"

namespace gleaner {

using Stage = Change::Stage;

namespace {

/// Before whoever keeps a generation from coming about is replaced.
constexpr int attempts = 3;
/// Before fewer are let in together.
constexpr int attempts_together = 2;

}  // namespace

// --- what next? ------------------------------------------------------------

/// Does a decision follow from what a member has just said?  Most of it is of
/// its work; a look at everybody for each such message is more than a
/// coordinator of a thousand has time for.
bool Membership::State::calls_for_decision(
    msg::FromMember const& message) const {
  if (needs_recovery) return true;
  if (change) {
    auto const& c = *change;
    if (c.broken || c.all_full) return true;
    if (c.stage == Stage::preparing && c.prepared.size() == c.members.size())
      return true;
  }
  if (std::holds_alternative<msg::Status>(message)) return !recovery;
  if (std::holds_alternative<msg::Stable>(message))
    return nodes_leaving > 0 || in_phase[std::size_t(Phase::loaded)] > 0;
  return !std::holds_alternative<msg::MemberHello>(message) &&
         !std::holds_alternative<msg::PlaneBlob>(message) &&
         !std::holds_alternative<msg::Prepared>(message) &&
         !std::holds_alternative<msg::Switched>(message) &&
         !std::holds_alternative<msg::LogValues>(message) &&
         !std::holds_alternative<msg::StateReceived>(message) &&
         !std::holds_alternative<msg::StateDigest>(message) &&
         !std::holds_alternative<msg::Weight>(message) &&
         !std::holds_alternative<msg::Alive>(message);
}

void Membership::State::decide() {
  if (!finished) {
    if (change && !needs_recovery) reconsider_change();
    if (std::exchange(needs_recovery, false)) recover();
    if (!recovery && !change) {
      if (generation == 0)
        consider_start();
      else
        consider_change();
    }
  }
  release_idle_leavers();
  free_nodes();
}

void Membership::State::reconsider_change() {
  auto const stage = change->stage;
  if (change->agreed) {
    if (change->broken)
      needs_recovery = true;
    else
      close_if_all_full();
  } else if (must_not_be(*change)) {
    if (stage == Stage::preparing) cancel_change();
    if (stage == Stage::following || stage == Stage::offered) withdraw_change();
  }
}

bool Membership::State::must_not_be(Change const& change) const {
  if (change.broken) return true;
  for (auto const id : change.members) {
    if (!is_leaving(id)) continue;
    // A member that is to leave must not be brought in; one that is in waits
    // for an expand only while there is time, and joins a shrink that is still
    // being prepared.
    if (!contains(members, id) || is_urgent(id)) return true;
    if (change.stage == Stage::preparing && change.joiners.empty()) return true;
  }
  return false;
}

MemberIds Membership::State::ready_members() {
  std::set<std::string> loading;
  MemberIds ready;
  for (auto const& [id, member] : entries) {
    if (nodes.at(member.node).leaving) continue;
    if (member.phase == Phase::announced || member.phase == Phase::connected)
      loading.insert(member.node);
    if (member.phase == Phase::loaded) ready.push_back(id);
  }
  // A node joins with all its members, unless one keeps the others waiting.
  ready.erase(std::remove_if(ready.begin(), ready.end(),
                             [&](msg::MemberId id) {
                               auto const& member = entries.at(id);
                               return loading.count(member.node) &&
                                      now - member.since_s <
                                          options.prepare_timeout_s;
                             }),
              ready.end());
  if (ready.empty()) {
    ready_since_s.reset();
    return ready;
  }
  if (!ready_since_s) ready_since_s = now;
  if (!loading.empty() && now - *ready_since_s < options.batch_s) return {};
  std::stable_sort(ready.begin(), ready.end(), [&](auto a, auto b) {
    return entries.at(a).node < entries.at(b).node;
  });
  return ready;
}

/// A plane is refused in the same words by all of its members, whichever of
/// them does not fit: so half as many are tried, until it is known which.
bool Membership::State::will_try_fewer() {
  auto const in = generation == 0 ? change->members : change->joiners;
  if (in.size() < 2 || ++vain_prepares < attempts_together) return false;
  auto const half = in.size() / 2;
  MemberIds const fewer(in.begin(), in.begin() + std::ptrdiff_t(half));
  if (generation == 0 &&
      int(nodes_of(fewer).size()) < std::max(1, options.nodes_min))
    return false;
  together_max = half;
  return true;
}

void Membership::State::forget_vain_prepares() {
  vain_prepares = 0;
  together_max = std::numeric_limits<std::size_t>::max();
}

std::string Membership::State::cause_of_leaving() const {
  for (auto const id : members)
    if (is_live(id) && is_leaving(id)) return node_of(id).cause;
  return "";
}

void Membership::State::consider_start() {
  auto ready = ready_members();
  if (ready.empty() ||
      int(nodes_of(ready).size()) < std::max(1, options.nodes_min))
    return;
  auto const checkpoint = ledger.newest();
  if (checkpoint) {
    // A file that one member could not read is tried by another.
    auto const tried = load_failures[checkpoint->path] % int(ready.size());
    std::rotate(ready.begin(), ready.begin() + tried, ready.end());
  } else {
    auto const as_initialised =
        std::find_if(ready.begin(), ready.end(),
                     [&](auto id) { return !entries.at(id).touched; });
    if (as_initialised == ready.end()) {
      // Nobody has the initial state any more: fresh processes have.
      for (auto const id : ready) kill(id, "its state cannot be used");
      return;
    }
    std::rotate(ready.begin(), as_initialised, ready.end());
  }
  if (ready.size() > together_max) ready.resize(together_max);
  MemberIds const joiners(ready.begin() + 1, ready.end());
  prepare(checkpoint ? "resume" : "start", ready, joiners);
}

void Membership::State::consider_change() {
  if (!settled) return;
  if (nodes_leaving == 0 && members_in(Phase::loaded) == 0)
    return ready_since_s.reset();
  auto const stayers = staying(members);
  bool const all_leave = stayers.empty();
  bool const none_leaves = stayers.size() == members.size();
  bool urgent = false;
  for (auto const id : members) urgent = urgent || is_urgent(id);

  MemberIds joiners;
  if (!urgent) joiners = ready_members();
  if (joiners.size() > together_max) joiners.resize(together_max);
  if (all_leave && joiners.empty()) {
    if (now >= park_again_s) offer_park();
    return;
  }
  if (none_leaves && joiners.empty()) return;
  // State is copied from members that stay; when none does, the newcomers are
  // brought in first.
  auto to = all_leave ? members : stayers;
  to.insert(to.end(), joiners.begin(), joiners.end());
  prepare(joiners.empty()            ? "shrink"
          : none_leaves || all_leave ? "expand"
                                     : "mixed",
          to, joiners);
}

// --- prepare ---------------------------------------------------------------

void Membership::State::prepare(std::string kind, MemberIds to,
                                MemberIds joiners) {
  change = Change{};
  change->generation = ++last_generation;
  change->cause = kind == "shrink" || kind == "mixed" ? cause_of_leaving() : "";
  change->kind = std::move(kind);
  change->members = std::move(to);
  change->joiners = std::move(joiners);
  change->since_s = now;
  change->from = nodes_in_use;
  decide_on_follow();
  ready_since_s.reset();
  send_all(change->members,
           msg::Prepare{change->generation, addresses(change->members),
                        change->joiners, change->follow});
}

void Membership::State::on(MemberEntry& from, msg::PlaneBlob const& message) {
  bool const next = change && message.generation == change->generation;
  if (!next && message.generation != generation) return;
  auto const& ranks = next ? change->members : members;
  if (!contains(ranks, from.id)) return;
  auto& given = blobs[{message.generation, message.key}];
  given[from.id] = message.blob;
  if (given.size() < ranks.size()) return;
  msg::PlaneBlobs all{message.generation, message.key, {}};
  for (auto const id : ranks) all.blobs.push_back(given[id]);
  send_all(ranks, std::move(all));
  blobs.erase({message.generation, message.key});
}

void Membership::State::on(MemberEntry& from, msg::Prepared const& message) {
  if (message.generation == generation && connected.insert(from.id).second &&
      connected.size() == members.size())
    forget_sightings();  // only from now on can they wait for each other
  if (!change || message.generation != change->generation ||
      change->stage != Stage::preparing)
    return;
  change->prepared.insert(from.id);
  if (change->prepared.size() < change->members.size()) return;
  change->prepare_s = now - change->since_s;
  connecting_s_max = std::max(connecting_s_max, change->prepare_s);
  if (must_not_be(*change)) return;  // decide() cancels it
  if (generation == 0)
    start();
  else if (change->follow)
    open_follow();
  else
    open_change();
}

void Membership::State::on(MemberEntry& from,
                           msg::PrepareFailed const& message) {
  auto const is_change = change && message.generation == change->generation;
  if (is_change && change->follow && !change->agreed &&
      (change->stage == Stage::following || change->stage == Stage::offered))
    count_vain_follow();
  // What is being withdrawn fails, and that is nobody's fault.
  if (is_change && change->stage != Stage::preparing &&
      change->stage != Stage::withdrawing &&
      contains(change->joiners, from.id) &&
      ++entries.at(from.id).failures >= attempts)
    return kill(from.id, "it could not be brought in: " + message.why);
  if (is_change && change->stage == Stage::preparing) {
    if (will_try_fewer()) return preparing_failed({}, message.why);
    bool const is_joiner =
        generation == 0 || contains(change->joiners, from.id);
    preparing_failed(is_joiner ? MemberIds{from.id} : change->joiners,
                     message.why);
  } else if (is_change && !change->agreed) {
    change->broken = true;
  } else if (is_change || message.generation == generation) {
    // Most likely a member died, and its loss will be known in a moment.
    if (plane_broken_s || recovery) return;
    plane_broken_s = now;
    plane_broken_by = from.id;
    loss = "plane of generation " + std::to_string(message.generation) + ": " +
           message.why;
  }
}

void Membership::State::check_preparing() {
  if (!change || change->stage != Stage::preparing ||
      now - change->since_s <= options.prepare_timeout_s)
    return;
  auto blamed = generation == 0 ? change->members : change->joiners;
  blamed.erase(
      std::remove_if(blamed.begin(), blamed.end(),
                     [&](auto id) { return change->prepared.count(id) != 0; }),
      blamed.end());
  if (blamed.empty()) blamed = change->joiners;
  preparing_failed(blamed, "not prepared in time");
}

void Membership::State::preparing_failed(MemberIds const& blamed,
                                         std::string const& why) {
  record("error", {{"what", "generation " + std::to_string(change->generation) +
                                " cannot be prepared: " + why}});
  bool const is_shrink = generation != 0 && change->joiners.empty();
  cancel_change();
  for (auto const id : live(blamed))
    if (++entries.at(id).failures >= attempts)
      kill(id, "it could not be prepared: " + why);
  if (is_shrink && ++vain_resumes >= attempts) {
    needs_recovery = true;  // the survivors connect anew, without leavers
    loss = "no smaller generation could be prepared";
  }
}

void Membership::State::cancel_change() {
  auto const cancelled = *std::exchange(change, std::nullopt);
  for (auto const id : live(cancelled.members)) {
    if (!contains(members, id))
      send(id, msg::Reset{cancelled.generation});
    else if (cancelled.stage == Stage::preparing)
      send(id, msg::Withdraw{cancelled.generation});
  }
}

// --- offer, agreement, switch ----------------------------------------------

void Membership::State::start() {
  auto const started = *std::exchange(change, std::nullopt);
  auto const checkpoint = ledger.newest();
  generation = started.generation;
  members = started.members;
  nodes_in_use = int(nodes_of(members).size());
  settled = false;
  resumed_s = checkpoint_s = now;
  forget_sightings();
  connected = {members.begin(), members.end()};
  vain_resumes = 0;
  forget_vain_prepares();
  source = members.front();
  loading = checkpoint ? checkpoint->path : "";
  for (auto const id : members) {
    auto& member = entries.at(id);
    member.touched = true;
    member.failures = 0;
    set_phase(member, Phase::active);
  }
  send_all(members,
           msg::Start{generation, addresses(members), source, loading});
  record_generation(started.kind, "", 0, started.prepare_s,
                    ledger.recorded() + 1);
}

void Membership::State::open_change() {
  change->stage = Stage::offered;
  offer(false);
}

void Membership::State::offer(bool follow) {
  for (auto const id : change->joiners) entries.at(id).touched = true;
  send_all(members,
           msg::Offer{change->generation, change->members, change->joiners,
                      change->checkpoint, follow ? 0 : lead(), follow});
}

/// As many steps as members load ahead: then nothing of it is in vain, and
/// joiners have loaded, too, when they begin.
std::uint32_t Membership::State::lead() const {
  std::uint32_t ahead = 0;
  for (auto const id : change->members)
    ahead = std::max(ahead, entries.at(id).loads_ahead);
  auto const step_s = step_median.seconds();
  if (ahead == 0 || step_s <= 0) return std::min(ahead, 1u);
  auto steps = std::max(1., std::floor(options.lead_s / step_s));
  for (auto const id : members) {
    if (!is_leaving(id)) continue;
    // The steps until the agreement, and those after it, need time as well.
    auto const left_s = node_of(id).deadline_s - now;
    steps = std::min(steps, std::max(0., std::floor(left_s / 2 / step_s) - 1));
  }
  return std::uint32_t(std::min(double(ahead), steps));
}

void Membership::State::offer_park() {
  change = Change{};
  change->generation = ++last_generation;
  change->kind = "park";
  change->cause = cause_of_leaving();
  change->checkpoint = next_checkpoint_path();
  change->since_s = now;
  change->from = nodes_in_use;
  open_change();
}

void Membership::State::on(MemberEntry& from, msg::Switched const& message) {
  if (!change || message.generation != change->generation) return;
  change->switched.insert(from.id);
  change->agreed = true;
  change->stage = Stage::offered;
  change->first = message.step;
}

void Membership::State::on(MemberEntry&, msg::Agreed const& message) {
  if (!change || message.generation != change->generation) return;
  change->agreed = true;
  change->stage = Stage::offered;
}

void Membership::State::withdraw_change() {
  change->stage = Stage::withdrawing;
  send_all(members, msg::Withdraw{change->generation});
}

void Membership::State::on(MemberEntry&, msg::SwitchAhead const& message) {
  if (!change || message.generation != change->generation) return;
  change->agreed = true;
  change->stage = Stage::offered;
  send_all(live(change->joiners), message);
}

void Membership::State::on(MemberEntry& from, msg::Withdrawn const& message) {
  if (!change || message.generation != change->generation ||
      change->stage != Stage::withdrawing)
    return;
  change->withdrawn.insert(from.id);
  for (auto const id : members)
    if (!change->withdrawn.count(id)) return;
  cancel_change();
}

void Membership::State::close_if_all_full() {
  // The leaver that was rank 0 may still owe reports of steps before.
  if (!change->all_full || ledger.recorded() < change->first - 1) return;
  auto const closed = *std::exchange(change, std::nullopt);
  for (auto const id : members)
    if (!contains(closed.members, id)) release(entries.at(id));
  generation = closed.generation;
  members = closed.members;
  nodes_in_use = int(nodes_of(members).size());
  settled = true;
  resumed_s = now;
  forget_sightings();
  connected = {members.begin(), members.end()};
  vain_resumes = 0;
  forget_vain_prepares();
  for (auto const id : members) {
    auto& member = entries.at(id);
    member.failures = 0;
    if (member.phase != Phase::active) set_phase(member, Phase::active);
  }
  record_generation(closed.kind, closed.cause, closed.from, closed.prepare_s,
                    closed.first, &closed);
  finish_if_all_have();
}

}  // namespace gleaner
