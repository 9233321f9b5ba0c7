// SPDX-License-Identifier: Apache-2.0
/// Which members and nodes are there, and which are to go?
#include "runtime/generation/membership.hh"

#include <algorithm>
#include <cassert>
#include <utility>

#include "runtime/generation/membership_state.hh"

namespace gleaner {

using namespace membership;

bool Membership::State::is_urgent(msg::MemberId id) const {
  return table.leaves_within(id, options.urgent_s, now);
}

// --- members come ----------------------------------------------------------

void Membership::State::on(MemberEntry& from, msg::MemberHello const& message) {
  if (from.phase != Phase::announced) return;
  from.data_address = message.data_address;
  table.set_phase(from.id, Phase::connected, now);
}

void Membership::State::on(MemberEntry& from, msg::Loaded const& message) {
  if (from.phase != Phase::connected) return;
  if (finished) return release(from);
  if (!schema) {
    schema = message;
    ledger.set_dataset_size(message.dataset_size);
    out.record("loaded", {{"dataset_size", message.dataset_size},
                          {"state_bytes", message.state_bytes}});
  }
  if (message.schema != schema->schema ||
      message.dataset_size != schema->dataset_size) {
    auto const why = "member " + std::to_string(from.id) +
                     " registered other tensors or options than member " +
                     std::to_string(schema->member) +
                     " (all must run the same program on the same data)";
    return refuse(from, why);
  }
  if (options.deterministic && message.fingerprint != schema->fingerprint)
    return refuse(
        from, "member " + std::to_string(from.id) + " computes with '" +
                  message.fingerprint + "', member " +
                  std::to_string(schema->member) + " with '" +
                  schema->fingerprint +
                  "' (in deterministic mode all must be the same) [leave such "
                  "nodes out, or set OMP_NUM_THREADS]");
  from.loads_ahead = message.loads_ahead;
  from.fingerprint = message.fingerprint;
  from.must_copy = message.must_copy;
  table.set_phase(from.id, Phase::loaded, now);
}

void Membership::State::refuse(MemberEntry& member, std::string const& why) {
  out.record("error", {{"what", why}});
  out.send(member.id, msg::Refused{why});
  table.set_phase(member.id, Phase::released, now);
}

// --- members go ------------------------------------------------------------

void Membership::State::on(MemberEntry& from, msg::MemberError const& message) {
  out.record("error",
             {{"what", message.why}, {"member", from.id}, {"node", from.node}});
  kill(from.id, message.why);
}

void Membership::State::kill(msg::MemberId id, std::string const& why) {
  out.add(Kill{id, why});
  gone(id, why);
}

void Membership::State::gone(msg::MemberId id, std::string const& why) {
  if (!table.has(id)) return;
  auto const lost = table.at(id);
  bool const needed = is_needed(id);
  table.erase(id);
  if (finished && table.in(Phase::active) == 0)
    record_log_until(ledger.recorded());
  if (checkpoint_asked && checkpoint_asked->member == id)
    forget_checkpoint_asked();
  if (finished || lost.phase == Phase::released) return;
  out.record("member_lost",
             {{"member", id}, {"node", lost.node}, {"why", why}});
  if (needed) {
    needs_recovery = true;
    loss = "member " + std::to_string(id) + " on " + lost.node + ": " + why;
  } else if (change && contains(change->members, id)) {
    change->broken = true;
  }
  members.erase(std::remove(members.begin(), members.end(), id), members.end());
}

/// The training cannot go on without a repair if this member goes.
bool Membership::State::is_needed(msg::MemberId id) const {
  if (recovery) return contains(recovery->asked, id);
  if (!contains(members, id)) return false;
  if (!change || !change->agreed || change->members.empty() ||
      contains(change->members, id))
    return true;
  // A leaver whose stayers have all passed the boundary has nothing that they
  // lack, except that rank 0 may owe reports of steps; those come before its
  // Switched.
  auto const has_switched = [&](msg::MemberId other) {
    return change->switched.count(other) != 0;
  };
  if (members.front() == id && !has_switched(id)) return true;
  for (auto const other : members)
    if (contains(change->members, other) && !has_switched(other)) return true;
  return false;
}

void Membership::State::release(MemberEntry& member) {
  if (member.phase == Phase::released) return;
  if (checkpoint_asked && checkpoint_asked->member == member.id)
    forget_checkpoint_asked();
  out.send(member.id, msg::Release{});
  table.set_phase(member.id, Phase::released, now);
}

void Membership::State::release_idle_leavers() {
  if (table.nodes_leaving() == 0) return;
  MemberIds unheard;
  for (auto& [id, member] : table.all()) {
    if (!table.is_leaving(id)) continue;
    if (change && contains(change->members, id)) continue;
    if (recovery && contains(recovery->asked, id)) continue;
    if (member.phase == Phase::announced) unheard.push_back(id);
    if (member.phase == Phase::connected || member.phase == Phase::loaded)
      release(member);
  }
  for (auto const id : unheard) {
    // It has taken part in nothing yet: its end is no loss.
    table.set_phase(id, Phase::released, now);
    kill(id, "its node is left");
  }
}

void Membership::State::free_nodes() {
  for (auto& name : table.take_free_nodes()) out.add(NodeFree{std::move(name)});
}

void Membership::State::check_deadlines() {
  if (table.nodes_leaving() == 0 && table.in(Phase::released) == 0) return;
  std::vector<std::pair<msg::MemberId, std::string>> overdue;
  for (auto const& [id, member] : table.all()) {
    auto const& node = table.node_of(id);
    if (node.leaving && node.deadline_s <= now)
      overdue.emplace_back(id, "its node had to be left: " + node.cause);
    else if (member.phase == Phase::released &&
             now - member.since_s > options.exit_timeout_s)
      overdue.emplace_back(id, "it did not end after its release");
  }
  for (auto const& [id, why] : overdue) kill(id, why);
}

// --- the public face -------------------------------------------------------

Membership::Membership(Options options)
    : state_(std::make_unique<State>(std::move(options))) {}
Membership::~Membership() = default;

Orders Membership::add_members(double now, std::string const& node,
                               std::vector<msg::MemberId> const& members) {
  auto& s = *state_;
  s.now = now;
  s.table.add(now, node, members);
  s.decide();
  return s.out.take();
}

Orders Membership::on_message(double now, msg::MemberId member,
                              msg::FromMember const& message) {
  auto& s = *state_;
  s.now = now;
  if (!s.table.has(member)) {
    if (!std::holds_alternative<msg::MemberHello>(message)) return {};
    s.out.send(member, msg::Refused{"member " + std::to_string(member) +
                                    " is not expected (it was lost, or never "
                                    "started)"});
    return s.out.take();
  }
  auto& from = s.table.at(member);
  if (from.disowned) return {};
  std::visit([&](auto const& m) { s.on(from, m); }, message);
  if (s.calls_for_decision(message)) s.decide();
  return s.out.take();
}

Orders Membership::member_gone(double now, msg::MemberId member,
                               std::string const& why) {
  auto& s = *state_;
  s.now = now;
  s.gone(member, why);
  s.decide();
  return s.out.take();
}

Orders Membership::leave_node(double now, std::string const& node,
                              double deadline, std::string const& cause) {
  auto& s = *state_;
  s.now = now;
  s.table.leave(node, deadline, cause);
  s.decide();
  return s.out.take();
}

Orders Membership::node_gone(double now, std::string const& node,
                             std::string const& why) {
  auto& s = *state_;
  s.now = now;
  for (auto const id : s.table.on_node(node)) s.gone(id, why);
  s.table.forget(node);
  s.decide();
  return s.out.take();
}

void Membership::drop_state() { state_->state_dropped = true; }

Orders Membership::tick(double now) {
  auto& s = *state_;
  s.now = now;
  s.check_deadlines();
  if (!s.finished) {
    s.check_loading();
    s.check_stuck();
    s.check_preparing();
    s.check_following();
    s.check_recovery();
    s.check_checkpoint();
    s.check_values();
  }
  s.decide();
  return s.out.take();
}

Orders Membership::last_values() {
  auto& s = *state_;
  s.record_log_until(s.ledger.recorded());
  return s.out.take();
}

Summary Membership::summary() const {
  auto const& s = *state_;
  Summary summary;
  summary.state = s.finished          ? membership::State::finished
                  : s.recovery        ? membership::State::recovering
                  : s.generation != 0 ? membership::State::running
                                      : membership::State::waiting;
  summary.parked = summary.state == membership::State::waiting &&
                   s.ledger.newest().has_value();
  summary.generation = s.generation;
  summary.members = s.members;
  for (auto const& node : s.table.nodes_of(s.members))
    summary.nodes.push_back(node);
  summary.step = s.ledger.recorded();
  summary.samples_seen = s.ledger.samples_seen();
  return summary;
}

}  // namespace gleaner
