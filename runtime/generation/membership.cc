// SPDX-License-Identifier: Apache-2.0
/// Which members and nodes are there, and which are to go?
#include "runtime/generation/membership.hh"

#include <algorithm>
#include <cassert>
#include <utility>

#include "runtime/generation/membership_state.hh"

namespace gleaner {

using namespace membership;

// --- small words -----------------------------------------------------------

NodeEntry const& Membership::State::node_of(msg::MemberId id) const {
  return nodes.at(entries.at(id).node);
}

bool Membership::State::is_urgent(msg::MemberId id) const {
  auto const& node = node_of(id);
  return node.leaving && node.deadline_s - now <= options.urgent_s;
}

MemberIds Membership::State::live(MemberIds const& ids) const {
  MemberIds found;
  for (auto const id : ids)
    if (is_live(id)) found.push_back(id);
  return found;
}

MemberIds Membership::State::staying(MemberIds const& ids) const {
  MemberIds found;
  for (auto const id : ids)
    if (is_live(id) && !is_leaving(id)) found.push_back(id);
  return found;
}

std::vector<msg::MemberAddress> Membership::State::addresses(
    MemberIds const& ids) const {
  std::vector<msg::MemberAddress> found;
  for (auto const id : ids) {
    auto const& member = entries.at(id);
    found.push_back({id, member.node, member.data_address});
  }
  return found;
}

NodeSet Membership::State::nodes_of(MemberIds const& ids) const {
  NodeSet found;
  for (auto const id : live(ids)) found.insert(entries.at(id).node);
  return found;
}

void Membership::State::set_phase(MemberEntry& member, Phase phase) {
  --members_in(member.phase);
  ++members_in(phase);
  member.phase = phase;
  member.since_s = now;
}

// --- members come ----------------------------------------------------------

void Membership::State::on(MemberEntry& from, msg::MemberHello const& message) {
  if (from.phase != Phase::announced) return;
  from.data_address = message.data_address;
  set_phase(from, Phase::connected);
}

void Membership::State::on(MemberEntry& from, msg::Loaded const& message) {
  if (from.phase != Phase::connected) return;
  if (finished) return release(from);
  if (!schema) {
    schema = message;
    ledger.set_dataset_size(message.dataset_size);
    record("loaded", {{"dataset_size", message.dataset_size},
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
  set_phase(from, Phase::loaded);
}

void Membership::State::refuse(MemberEntry& member, std::string const& why) {
  record("error", {{"what", why}});
  send(member.id, msg::Refused{why});
  set_phase(member, Phase::released);
}

// --- members go ------------------------------------------------------------

void Membership::State::on(MemberEntry& from, msg::MemberError const& message) {
  record("error",
         {{"what", message.why}, {"member", from.id}, {"node", from.node}});
  kill(from.id, message.why);
}

void Membership::State::kill(msg::MemberId id, std::string const& why) {
  out.push_back(Kill{id, why});
  gone(id, why);
}

void Membership::State::gone(msg::MemberId id, std::string const& why) {
  auto const it = entries.find(id);
  if (it == entries.end()) return;
  auto const lost = it->second;
  bool const needed = is_needed(id);
  --members_in(lost.phase);
  entries.erase(it);
  if (finished && members_in(Phase::active) == 0)
    record_log_until(ledger.recorded());
  if (checkpoint_asked && checkpoint_asked->member == id)
    forget_checkpoint_asked();
  if (finished || lost.phase == Phase::released) return;
  record("member_lost", {{"member", id}, {"node", lost.node}, {"why", why}});
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
  send(member.id, msg::Release{});
  set_phase(member, Phase::released);
}

void Membership::State::release_idle_leavers() {
  if (nodes_leaving == 0) return;
  MemberIds unheard;
  for (auto& [id, member] : entries) {
    if (!nodes.at(member.node).leaving) continue;
    if (change && contains(change->members, id)) continue;
    if (recovery && contains(recovery->asked, id)) continue;
    if (member.phase == Phase::announced) unheard.push_back(id);
    if (member.phase == Phase::connected || member.phase == Phase::loaded)
      release(member);
  }
  for (auto const id : unheard) {
    // It has taken part in nothing yet: its end is no loss.
    set_phase(entries.at(id), Phase::released);
    kill(id, "its node is left");
  }
}

void Membership::State::free_nodes() {
  if (nodes_leaving == 0) return;
  std::set<std::string> occupied;
  for (auto const& [id, member] : entries) occupied.insert(member.node);
  for (auto& [name, node] : nodes) {
    if (!node.leaving || node.freed || occupied.count(name)) continue;
    node.freed = true;
    out.push_back(NodeFree{name});
  }
}

void Membership::State::check_deadlines() {
  if (nodes_leaving == 0 && members_in(Phase::released) == 0) return;
  std::vector<std::pair<msg::MemberId, std::string>> overdue;
  for (auto const& [id, member] : entries) {
    auto const& node = nodes.at(member.node);
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
  s.nodes[node];
  for (auto const id : members) {
    assert(!s.is_live(id));
    MemberEntry member;
    member.id = id;
    member.node = node;
    member.since_s = now;
    s.entries.emplace(id, std::move(member));
    ++s.members_in(Phase::announced);
  }
  s.decide();
  return std::exchange(s.out, {});
}

Orders Membership::on_message(double now, msg::MemberId member,
                              msg::FromMember const& message) {
  auto& s = *state_;
  s.now = now;
  auto const it = s.entries.find(member);
  if (it == s.entries.end()) {
    if (!std::holds_alternative<msg::MemberHello>(message)) return {};
    s.send(member, msg::Refused{"member " + std::to_string(member) +
                                " is not expected (it was lost, or never "
                                "started)"});
    return std::exchange(s.out, {});
  }
  if (it->second.disowned) return {};
  std::visit([&](auto const& m) { s.on(it->second, m); }, message);
  if (s.calls_for_decision(message)) s.decide();
  return std::exchange(s.out, {});
}

Orders Membership::member_gone(double now, msg::MemberId member,
                               std::string const& why) {
  auto& s = *state_;
  s.now = now;
  s.gone(member, why);
  s.decide();
  return std::exchange(s.out, {});
}

Orders Membership::leave_node(double now, std::string const& node,
                              double deadline, std::string const& cause) {
  auto& s = *state_;
  s.now = now;
  auto& entry = s.nodes[node];
  if (!entry.leaving || deadline < entry.deadline_s) {
    s.nodes_leaving += !entry.leaving;
    entry.leaving = true;
    entry.deadline_s = deadline;
    entry.cause = cause;
  }
  s.decide();
  return std::exchange(s.out, {});
}

Orders Membership::node_gone(double now, std::string const& node,
                             std::string const& why) {
  auto& s = *state_;
  s.now = now;
  MemberIds there;
  for (auto const& [id, member] : s.entries)
    if (member.node == node) there.push_back(id);
  for (auto const id : there) s.gone(id, why);
  if (auto const it = s.nodes.find(node); it != s.nodes.end()) {
    s.nodes_leaving -= it->second.leaving;
    s.nodes.erase(it);
  }
  s.decide();
  return std::exchange(s.out, {});
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
  return std::exchange(s.out, {});
}

Orders Membership::last_values() {
  auto& s = *state_;
  s.record_log_until(s.ledger.recorded());
  return std::exchange(s.out, {});
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
  for (auto const& node : s.nodes_of(s.members)) summary.nodes.push_back(node);
  summary.step = s.ledger.recorded();
  summary.samples_seen = s.ledger.samples_seen();
  return summary;
}

}  // namespace gleaner
