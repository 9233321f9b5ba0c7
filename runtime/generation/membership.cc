// SPDX-License-Identifier: Apache-2.0
/// What happens when members and nodes come and go?
#include "runtime/generation/membership.hh"

#include <utility>

namespace gleaner::generation {

using namespace membership;

// --- members come ----------------------------------------------------------

void Membership::on(MemberEntry& from, msg::MemberHello const& message) {
  if (from.phase != Phase::announced) return;
  from.data_address = message.data_address;
  table_.set_phase(from.id, Phase::connected, now_);
}

void Membership::on(MemberEntry& from, msg::Loaded const& message) {
  if (from.phase != Phase::connected) return;
  if (finished_) return release(from);
  if (!program_.first()) {
    program_.set_first(message);
    record_.set_dataset_size(message.dataset_size);
    out_.record("loaded", {{"dataset_size", message.dataset_size},
                           {"state_bytes", message.state_bytes}});
  }
  if (auto const why = program_.objection(from.id, message); !why.empty())
    return refuse(from, why);
  from.loads_ahead = message.loads_ahead;
  from.fingerprint = message.fingerprint;
  from.must_copy = message.must_copy;
  table_.set_phase(from.id, Phase::loaded, now_);
}

void Membership::refuse(MemberEntry& member, std::string const& why) {
  out_.record("error", {{"what", why}});
  out_.send(member.id, msg::Refused{why});
  table_.set_phase(member.id, Phase::released, now_);
}

// --- members say how they are ----------------------------------------------

void Membership::on(MemberEntry& from, msg::Alive const& message) {
  from.alive = message;
  bool const busy = message.busy_left_s > 0;
  if (busy && !from.busy)
    out_.record("busy", {{"member", from.id},
                         {"node", from.node},
                         {"why", message.busy},
                         {"limit_s", message.busy_left_s}});
  from.busy = busy;
}

void Membership::on(MemberEntry&, msg::StateReceived const& message) {
  follow_.measured(message);
}

void Membership::on(MemberEntry& from, msg::StateDigest const& message) {
  auto const g = message.generation;
  bool const next = is_of_change(g) && change_->is_agreed();
  if (recovery_ || (!next && g != in_use_.generation)) return;
  auto const ranks = next ? change_->plan().members : in_use_.members;
  if (!contains(ranks, from.id)) return;
  auto const verdict = state_check_.add(ranks, from.id, message);
  if (!verdict) return;
  MemberIds differ;
  for (auto const& one : verdict->differ) differ.push_back(one.member);
  out_.record("state_check", {{"generation", verdict->generation},
                              {"step", verdict->step},
                              {"members", verdict->members},
                              {"digests", verdict->digests},
                              {"differ", differ}});
  for (auto const& one : verdict->differ) {
    auto const why = "member " + std::to_string(one.member) +
                     " has another state than the others after the switch to "
                     "generation " +
                     std::to_string(verdict->generation) + ": " + one.how;
    out_.record("error", {{"what", why}});
    kill(one.member, "its state differs from that of the others");
  }
}

void Membership::check_stuck() {
  if (recovery_ || in_use_.generation == 0) return;
  // The more there are to look at, the less often: never a burden.
  constexpr double pause_of_each_s = 0.0005;
  if (now_ - stuck_checked_s_ <
      pause_of_each_s * double(in_use_.members.size()))
    return;
  stuck_checked_s_ = now_;
  auto taking_part = in_use_.members;
  if (change_ && change_->is_agreed())
    for (auto const id : change_->plan().members)
      if (!contains(taking_part, id)) taking_part.push_back(id);
  auto const sightings =
      sightings_of(table_.live(taking_part), table_, in_use_.generation);
  if (!sightings) return;
  auto const step_s = record_.step_s();
  kill(stuck_in(*sightings, table_, options_.stuck, step_s));
  if (!planes_.is_in_order(in_use_.members) ||
      !is_plane_stuck(*sightings, options_.stuck, step_s))
    return;
  auto const why =
      "the data plane is stuck: all members have waited in it for " +
      std::to_string(long(options_.stuck.timeout_s)) + " s";
  loss_.why = why;
  planes_.broke(now_, 0, why);
  out_.record("error", {{"what", why}});
}

// --- members go ------------------------------------------------------------

void Membership::on(MemberEntry& from, msg::MemberError const& message) {
  out_.record(
      "error",
      {{"what", message.why}, {"member", from.id}, {"node", from.node}});
  kill(from.id, message.why);
}

void Membership::kill(msg::MemberId id, std::string const& why) {
  out_.add(Kill{id, why});
  gone(id, why);
}

void Membership::kill(std::vector<Replaced> const& replaced) {
  for (auto const& [id, why] : replaced) kill(id, why);
}

void Membership::gone(msg::MemberId id, std::string const& why) {
  if (!table_.has(id)) return;
  auto const lost_one = table_.at(id);
  bool const needed = is_needed(id);
  table_.erase(id);
  if (finished_ && table_.in(Phase::active) == 0 && !table_.any_owes_values())
    record_.show_values(out_, record_.recorded());
  record_.gone(id);
  if (finished_ || lost_one.phase == Phase::released) return;
  out_.record("member_lost",
              {{"member", id}, {"node", lost_one.node}, {"why", why}});
  if (needed)
    lost("member " + std::to_string(id) + " on " + lost_one.node + ": " + why);
  else if (change_ && contains(change_->plan().members, id))
    change_->give_up();
  std::erase(in_use_.members, id);
}

/// The training cannot go on without a repair if this member goes.
bool Membership::is_needed(msg::MemberId id) const {
  if (recovery_) return contains(recovery_->asked(), id);
  auto const& members = in_use_.members;
  if (!contains(members, id)) return false;
  if (!change_ || !change_->is_agreed()) return true;
  auto const& next = change_->plan().members;
  if (next.empty() || contains(next, id)) return true;
  // A leaver whose stayers have all passed the boundary has nothing that they
  // lack, except that rank 0 may owe reports of steps; those come before its
  // Switched.
  if (members.front() == id && !change_->has_switched(id)) return true;
  for (auto const other : members)
    if (contains(next, other) && !change_->has_switched(other)) return true;
  return false;
}

void Membership::release(MemberEntry& member) {
  if (member.phase == Phase::released) return;
  record_.gone(member.id);
  out_.send(member.id, msg::Release{});
  table_.set_phase(member.id, Phase::released, now_);
}

/// It has taken part up to this step.
void Membership::release(MemberEntry& member, msg::Step last_step,
                         bool has_told_values) {
  release(member);
  member.last_step = last_step;
  member.owes_values = !has_told_values;
}

void Membership::release_idle_leavers() {
  if (table_.nodes_leaving() == 0) return;
  MemberIds unheard;
  for (auto& [id, member] : table_.all()) {
    if (!table_.is_leaving(id)) continue;
    if (change_ && contains(change_->plan().members, id)) continue;
    if (recovery_ && contains(recovery_->asked(), id)) continue;
    if (member.phase == Phase::announced) unheard.push_back(id);
    if (member.phase == Phase::connected || member.phase == Phase::loaded)
      release(member);
  }
  for (auto const id : unheard) {
    // It has taken part in nothing yet: its end is no loss.
    table_.set_phase(id, Phase::released, now_);
    kill(id, "its node is left");
  }
}

// --- the public face -------------------------------------------------------

Membership::Membership(Options options)
    : options_(std::move(options)),
      program_(options_.deterministic ? ProgramCheck::Computing::alike
                                      : ProgramCheck::Computing::anyhow),
      planes_({options_.connect_timeout_s, options_.prepare_timeout_s,
               options_.failure_timeout_s}),
      admission_({options_.batch_s, options_.prepare_timeout_s}),
      follow_(options_),
      record_(options_) {}

Orders Membership::decided() {
  decide();
  return out_.take();
}

Orders Membership::add_members(double now, std::string const& node,
                               MemberIds const& members) {
  now_ = now;
  table_.add(now, node, members);
  return decided();
}

Orders Membership::on_message(double now, msg::MemberId member,
                              msg::FromMember const& message) {
  now_ = now;
  if (!table_.has(member)) {
    if (!std::holds_alternative<msg::MemberHello>(message)) return {};
    out_.send(member, msg::Refused{"member " + std::to_string(member) +
                                   " is not expected (it was lost, or never "
                                   "started)"});
    return out_.take();
  }
  auto& from = table_.at(member);
  if (from.disowned) return {};
  std::visit([&](auto const& m) { on(from, m); }, message);
  return calls_for_decision(message) ? decided() : out_.take();
}

Orders Membership::member_gone(double now, msg::MemberId member,
                               std::string const& why) {
  now_ = now;
  gone(member, why);
  return decided();
}

Orders Membership::leave_node(double now, std::string const& node,
                              double deadline, std::string const& cause) {
  now_ = now;
  table_.leave(node, deadline, cause);
  return decided();
}

Orders Membership::node_gone(double now, std::string const& node,
                             std::string const& why) {
  now_ = now;
  for (auto const id : table_.on_node(node)) gone(id, why);
  table_.forget(node);
  return decided();
}

void Membership::drop_state() { record_.drop_state(); }

Orders Membership::tick(double now) {
  now_ = now;
  kill(past_deadline(table_, options_.exit_timeout_s, now));
  if (!finished_) {
    kill(late_to_load(table_, options_.load_timeout_s, now));
    check_stuck();
    check_change();
    check_losses();
    if (in_use_.generation != 0 && in_use_.settled && !recovery_)
      record_.ask_when_due(out_, now, in_use_.members.front());
    check_values();
  }
  return decided();
}

Orders Membership::last_values() {
  if (in_use_.generation == 0 || finished_)
    record_.show_values(out_, record_.recorded());
  else
    record_.show_what_came(out_);
  return out_.take();
}

Summary Membership::summary() const {
  Summary summary;
  summary.state = finished_                 ? State::finished
                  : recovery_               ? State::recovering
                  : in_use_.generation != 0 ? State::running
                                            : State::waiting;
  summary.parked =
      summary.state == State::waiting && record_.newest().has_value();
  summary.generation = in_use_.generation;
  summary.members = in_use_.members;
  for (auto const& node : table_.nodes_of(in_use_.members))
    summary.nodes.push_back(node);
  summary.step = record_.recorded();
  summary.samples_seen = record_.samples_seen();
  return summary;
}

}  // namespace gleaner::generation
