// SPDX-License-Identifier: Apache-2.0
#include "runtime/generation/member_table.hh"

#include <algorithm>
#include <cassert>
#include <utility>

namespace gleaner::generation {

void MemberTable::add(double now, std::string const& node,
                      MemberIds const& ids) {
  nodes_[node];
  for (auto const id : ids) {
    assert(!has(id));
    MemberEntry member;
    member.id = id;
    member.node = node;
    member.since_s = now;
    members_.emplace(id, std::move(member));
    ++in_phase_[std::size_t(Phase::announced)];
  }
}

void MemberTable::erase(msg::MemberId id) {
  auto const it = members_.find(id);
  assert(it != members_.end());
  --in_phase_[std::size_t(it->second.phase)];
  members_.erase(it);
}

void MemberTable::set_phase(msg::MemberId id, Phase phase, double now) {
  auto& member = members_.at(id);
  --in_phase_[std::size_t(member.phase)];
  ++in_phase_[std::size_t(phase)];
  member.phase = phase;
  member.since_s = now;
}

bool MemberTable::any_owes_values() const {
  return in(Phase::released) > 0 &&
         std::any_of(members_.begin(), members_.end(), [](auto const& entry) {
           return entry.second.owes_values;
         });
}

void MemberTable::forget_heartbeats() {
  for (auto& [id, member] : members_) member.alive.reset();
}

void MemberTable::leave(std::string const& name, double deadline_s,
                        std::string const& cause) {
  auto& node = nodes_[name];
  if (node.leaving && deadline_s >= node.deadline_s) return;
  nodes_leaving_ += !node.leaving;
  node.leaving = true;
  node.deadline_s = deadline_s;
  node.cause = cause;
}

void MemberTable::forget(std::string const& name) {
  auto const it = nodes_.find(name);
  if (it == nodes_.end()) return;
  nodes_leaving_ -= it->second.leaving;
  nodes_.erase(it);
}

NodeEntry const& MemberTable::node_of(msg::MemberId id) const {
  return nodes_.at(members_.at(id).node);
}

bool MemberTable::leaves_within(msg::MemberId id, double limit_s,
                                double now) const {
  auto const& node = node_of(id);
  return node.leaving && node.deadline_s - now <= limit_s;
}

std::vector<std::string> MemberTable::take_free_nodes() {
  std::vector<std::string> free;
  if (nodes_leaving_ == 0) return free;
  std::set<std::string> occupied;
  for (auto const& [id, member] : members_) occupied.insert(member.node);
  for (auto& [name, node] : nodes_) {
    if (!node.leaving || node.freed || occupied.count(name)) continue;
    node.freed = true;
    free.push_back(name);
  }
  return free;
}

MemberIds MemberTable::on_node(std::string const& node) const {
  MemberIds found;
  for (auto const& [id, member] : members_)
    if (member.node == node) found.push_back(id);
  return found;
}

MemberIds MemberTable::live(MemberIds const& ids) const {
  MemberIds found;
  for (auto const id : ids)
    if (has(id)) found.push_back(id);
  return found;
}

MemberIds MemberTable::staying(MemberIds const& ids) const {
  MemberIds found;
  for (auto const id : ids)
    if (has(id) && !is_leaving(id)) found.push_back(id);
  return found;
}

std::vector<msg::MemberAddress> MemberTable::addresses(
    MemberIds const& ids) const {
  std::vector<msg::MemberAddress> found;
  for (auto const id : ids) {
    auto const& member = members_.at(id);
    found.push_back({id, member.node, member.data_address});
  }
  return found;
}

NodeSet MemberTable::nodes_of(MemberIds const& ids) const {
  NodeSet found;
  for (auto const id : ids)
    if (has(id)) found.insert(members_.at(id).node);
  return found;
}

}  // namespace gleaner::generation
