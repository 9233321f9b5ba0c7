// SPDX-License-Identifier: Apache-2.0
/// Which change comes next, and what follows from what members say of it?
#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/generation/membership.hh"

namespace gleaner::generation {

// --- what next? ------------------------------------------------------------

/// Does a decision follow from what a member has just said?  Most of it is of
/// its work; a look at everybody for each such message is more than a
/// coordinator of a thousand has time for.
bool Membership::calls_for_decision(msg::FromMember const& message) const {
  if (loss_.is_open) return true;
  if (change_ && (change_->is_given_up() || change_->are_all_full() ||
                  change_->all_prepared()))
    return true;
  if (std::holds_alternative<msg::Status>(message)) return !recovery_;
  if (std::holds_alternative<msg::Stable>(message))
    return table_.nodes_leaving() > 0 || table_.in(Phase::loaded) > 0;
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

void Membership::decide() {
  if (!finished_) {
    if (change_ && !loss_.is_open) reconsider_change();
    if (std::exchange(loss_.is_open, false)) recover();
    if (!recovery_ && !change_) {
      if (in_use_.generation == 0)
        consider_start();
      else
        consider_change();
    }
  }
  release_idle_leavers();
  for (auto& name : table_.take_free_nodes())
    out_.add(membership::NodeFree{std::move(name)});
}

void Membership::reconsider_change() {
  if (change_->is_agreed()) {
    if (change_->is_given_up())
      loss_.is_open = true;
    else if (change_->may_close(record_.recorded()))
      close_change();
  } else if (must_give_up_change()) {
    if (change_->is_preparing())
      cancel_change();
    else if (!change_->is_withdrawing())
      withdraw_change();
  }
}

bool Membership::must_give_up_change() const {
  return must_give_up(*change_, in_use_.members, table_, options_.urgent_s,
                      now_);
}

bool Membership::are_enough(MemberIds const& ids) const {
  return int(table_.nodes_of(ids).size()) >= std::max(1, options_.nodes_min);
}

std::string Membership::cause_of_leaving() const {
  for (auto const id : in_use_.members)
    if (table_.has(id) && table_.is_leaving(id))
      return table_.node_of(id).cause;
  return "";
}

void Membership::consider_start() {
  if (record_.checkpoint_waits()) return;  // for values; then it is the newest
  auto ready = admission_.ready(table_, now_);
  if (ready.empty() || !are_enough(ready)) return;
  auto const checkpoint = record_.newest();
  if (checkpoint) {
    ready = load_.in_turn(std::move(ready), checkpoint->path);
  } else {
    auto const as_initialised =
        std::find_if(ready.begin(), ready.end(),
                     [&](auto id) { return !table_.at(id).touched; });
    if (as_initialised == ready.end()) {
      // Nobody has the initial state any more: fresh processes have.
      for (auto const id : ready) kill(id, "its state cannot be used");
      return;
    }
    std::rotate(ready.begin(), as_initialised, ready.end());
  }
  ready = admission_.first_of(std::move(ready));
  MemberIds const joiners(ready.begin() + 1, ready.end());
  prepare(checkpoint ? "resume" : "start", ready, joiners);
}

void Membership::consider_change() {
  if (!in_use_.settled) return;
  if (table_.nodes_leaving() == 0 && table_.in(Phase::loaded) == 0)
    return admission_.end_wait();
  auto const& members = in_use_.members;
  auto const stayers = table_.staying(members);
  bool const all_leave = stayers.empty();
  bool const none_leaves = stayers.size() == members.size();
  bool const urgent = std::any_of(members.begin(), members.end(), [&](auto id) {
    return table_.leaves_within(id, options_.urgent_s, now_);
  });

  MemberIds joiners;
  if (!urgent) joiners = admission_.first_of(admission_.ready(table_, now_));
  if (all_leave && joiners.empty()) {
    if (record_.may_park(now_)) offer_park();
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

void Membership::prepare(std::string kind, MemberIds to, MemberIds joiners) {
  ChangePlan plan;
  plan.generation = ++last_generation_;
  if (kind == "shrink" || kind == "mixed") plan.cause = cause_of_leaving();
  plan.kind = std::move(kind);
  plan.members = std::move(to);
  plan.joiners = std::move(joiners);
  plan.nodes_before = in_use_.nodes;
  if (in_use_.generation != 0 && !plan.joiners.empty()) {
    plan.copy_why = follow_.objection(
        plan.members, plan.joiners, table_,
        {*program_.first(), record_.step_s(), record_.update_s()});
    plan.follow = plan.copy_why.empty();
  }
  admission_.end_wait();
  out_.send_all(plan.members,
                msg::Prepare{plan.generation, table_.addresses(plan.members),
                             plan.joiners, plan.follow});
  change_.emplace(std::move(plan), now_);
}

void Membership::on(MemberEntry& from, msg::PlaneBlob const& message) {
  bool const next = is_of_change(message.generation);
  if (!next && message.generation != in_use_.generation) return;
  auto const& ranks = next ? change_->plan().members : in_use_.members;
  if (!contains(ranks, from.id)) return;
  if (auto all = rendezvous_.give(ranks, from.id, message))
    out_.send_all(ranks, std::move(*all));
}

void Membership::on(MemberEntry& from, msg::Prepared const& message) {
  if (message.generation == in_use_.generation &&
      planes_.connected(from.id, in_use_.members))
    table_
        .forget_heartbeats();  // only from now on can they wait for each other
  if (!is_of_change(message.generation) || !change_->prepared(from.id, now_))
    return;
  planes_.connected_beside(change_->prepare_s());
  if (must_give_up_change()) return;  // decide() cancels it
  if (in_use_.generation == 0) return start();
  if (!change_->plan().follow) return offer(false);
  change_->follow(now_);
  out_.record("follow", {{"generation", change_->plan().generation},
                         {"members", change_->plan().joiners}});
  offer(true);
}

void Membership::on(MemberEntry& from, msg::PrepareFailed const& message) {
  bool const is_change = is_of_change(message.generation);
  if (!is_change) {
    if (message.generation == in_use_.generation)
      plane_broke(from.id, message.generation, message.why);
    return;
  }
  bool const is_joiner = contains(change_->plan().joiners, from.id);
  if (change_->plan().follow &&
      (change_->is_following() || change_->is_offered()))
    follow_failed();
  // What is being withdrawn fails, and that is nobody's fault.
  if (!change_->is_preparing() && !change_->is_withdrawing() && is_joiner &&
      failed_too_often(from))
    return kill(from.id, "it could not be brought in: " + message.why);
  if (change_->is_preparing()) {
    auto const starts = in_use_.generation == 0;
    auto const& in = starts ? change_->plan().members : change_->plan().joiners;
    if (admission_.will_try_fewer(
            in, [&](auto const& ids) { return !starts || are_enough(ids); }))
      return preparing_failed({}, message.why);
    preparing_failed(
        starts || is_joiner ? MemberIds{from.id} : change_->plan().joiners,
        message.why);
  } else if (!change_->is_agreed()) {
    change_->give_up();
  } else {
    plane_broke(from.id, message.generation, message.why);
  }
}

void Membership::on(MemberEntry& from, msg::CaughtUp const& message) {
  if (!is_of_change(message.generation) || !change_->caught_up(from.id, now_))
    return;
  if (!must_give_up_change()) offer(false);  // else decide() withdraws it
}

void Membership::check_change() {
  if (!change_) return;
  if (change_->is_preparing() &&
      now_ - change_->since_s() > options_.prepare_timeout_s) {
    auto const& plan = change_->plan();
    auto blamed = change_->not_prepared(in_use_.generation == 0 ? plan.members
                                                                : plan.joiners);
    if (blamed.empty()) blamed = plan.joiners;
    preparing_failed(blamed, "not prepared in time");
  } else if (change_->has_followed_for(options_.follow_timeout_s, now_)) {
    follow_failed();
  }
}

void Membership::preparing_failed(MemberIds const& blamed,
                                  std::string const& why) {
  out_.record(
      "error",
      {{"what", "generation " + std::to_string(change_->plan().generation) +
                    " cannot be prepared: " + why}});
  bool const is_shrink =
      in_use_.generation != 0 && change_->plan().joiners.empty();
  cancel_change();
  for (auto const id : table_.live(blamed))
    if (failed_too_often(table_.at(id)))
      kill(id, "it could not be prepared: " + why);
  // Then the members that stay connect again, without leavers.
  if (is_shrink && planes_.failed())
    lost("no smaller generation could be prepared");
}

/// A joiner that was to follow has got nowhere.  The next time may be better: a
/// member that fed it may have died.
void Membership::follow_failed() {
  if (change_->is_given_up()) return;
  change_->give_up();
  for (auto const id : table_.live(change_->plan().joiners))
    ++table_.at(id).failed_follows;
}

void Membership::cancel_change() {
  auto const cancelled = *std::exchange(change_, std::nullopt);
  auto const& plan = cancelled.plan();
  for (auto const id : table_.live(plan.members)) {
    if (!contains(in_use_.members, id))
      out_.send(id, msg::Reset{plan.generation});
    else if (cancelled.is_preparing())
      out_.send(id, msg::Withdraw{plan.generation});
  }
}

// --- offer, agreement, switch ----------------------------------------------

void Membership::start() {
  auto const started = *std::exchange(change_, std::nullopt);
  auto const& plan = started.plan();
  auto const checkpoint = record_.newest();
  auto const nodes = int(table_.nodes_of(plan.members).size());
  in_use_ = {plan.generation, plan.members, nodes, false};
  table_.forget_heartbeats();
  planes_.begins_connected(now_, plan.members);
  admission_.forget_failures();
  record_.begin_checkpoints(now_);
  auto const source = plan.members.front();
  auto const path = checkpoint ? checkpoint->path : "";
  load_.begin(source, path);
  for (auto const id : plan.members) {
    auto& member = table_.at(id);
    member.touched = true;
    member.failures = 0;
    table_.set_phase(id, Phase::active, now_);
  }
  out_.send_all(plan.members,
                msg::Start{plan.generation, table_.addresses(plan.members),
                           source, path});
  record_generation(plan.kind, "", 0, started.prepare_s(),
                    record_.recorded() + 1);
}

/// First, where joiners follow, that they are fed; else, or when they have
/// caught up, that members switch.
void Membership::offer(bool follow) {
  if (!follow) change_->offer();
  auto const& plan = change_->plan();
  for (auto const id : plan.joiners) table_.at(id).touched = true;
  out_.send_all(in_use_.members,
                msg::Offer{plan.generation, plan.members, plan.joiners,
                           plan.checkpoint, follow ? 0 : lead(), follow});
}

std::uint32_t Membership::lead() const {
  LeadFacts facts;
  facts.step_s = record_.step_s();
  facts.lead_s_max = options_.lead_s;
  facts.left_s = std::numeric_limits<double>::infinity();
  for (auto const id : change_->plan().members)
    facts.loads_ahead = std::max(facts.loads_ahead, table_.at(id).loads_ahead);
  for (auto const id : in_use_.members)
    if (table_.is_leaving(id))
      facts.left_s =
          std::min(facts.left_s, table_.node_of(id).deadline_s - now_);
  return lead_steps(facts);
}

void Membership::offer_park() {
  ChangePlan plan;
  plan.generation = ++last_generation_;
  plan.kind = "park";
  plan.cause = cause_of_leaving();
  plan.checkpoint = record_.park_path();
  plan.nodes_before = in_use_.nodes;
  change_.emplace(std::move(plan), now_);
  offer(false);
}

void Membership::on(MemberEntry& from, msg::Switched const& message) {
  from.owes_values = false;
  if (is_of_change(message.generation))
    change_->switched(from.id, message.step);
}

void Membership::on(MemberEntry&, msg::Agreed const& message) {
  if (is_of_change(message.generation)) change_->agree();
}

void Membership::on(MemberEntry&, msg::SwitchAhead const& message) {
  if (!is_of_change(message.generation)) return;
  change_->agree();
  out_.send_all(table_.live(change_->plan().joiners), message);
}

void Membership::withdraw_change() {
  change_->withdraw();
  out_.send_all(in_use_.members, msg::Withdraw{change_->plan().generation});
}

void Membership::on(MemberEntry& from, msg::Withdrawn const& message) {
  if (is_of_change(message.generation) &&
      change_->withdrawn(from.id, in_use_.members))
    cancel_change();
}

/// The first first bucket of the new generation is complete.
void Membership::close_change() {
  auto const closed = *std::exchange(change_, std::nullopt);
  auto const& plan = closed.plan();
  for (auto const id : in_use_.members)
    if (!contains(plan.members, id))
      release(table_.at(id), closed.first() - 1, closed.has_switched(id));
  auto const nodes = int(table_.nodes_of(plan.members).size());
  in_use_ = {plan.generation, plan.members, nodes, true};
  table_.forget_heartbeats();
  planes_.begins_connected(now_, plan.members);
  admission_.forget_failures();
  for (auto const id : plan.members) {
    auto& member = table_.at(id);
    member.failures = 0;
    if (member.phase != Phase::active)
      table_.set_phase(id, Phase::active, now_);
  }
  record_generation(plan.kind, plan.cause, plan.nodes_before,
                    closed.prepare_s(), closed.first(), &plan);
  finish_if_all_have();
}

}  // namespace gleaner::generation
