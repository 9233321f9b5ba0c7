// SPDX-License-Identifier: Apache-2.0
/// Holding a job against what there is of a node.
#include "daemon/decisions/job_on_node.hh"

#include <algorithm>

namespace gleaner::daemon {

std::int64_t JobOnNode::memory_mb(std::int64_t all_mb) const {
  if (memory_ == JobMemory::ignored) return 0;
  return job_.whole_memory ? all_mb : job_.each.memory_mb;
}

bool JobOnNode::fits(SupplyEntry const& entry, SupplyNode const& node) const {
  if (job_.whole &&
      (!node.untouched || (!entry.takes_back && node.has_leases())))
    return false;
  auto const& have = entry.available(node);
  return have.cpus >= job_.each.cpus &&
         have.memory_mb >= memory_mb(kinds_[node.kind].total.memory_mb) &&
         covers(have.gres, job_.each.gres) &&
         contributes(have.gres, job_.gres) &&
         !job_.excluded.contains(node.name) &&
         (shape_.within.empty() ||
          std::any_of(shape_.within.begin(), shape_.within.end(),
                      [&](auto* nodes) { return nodes->contains(node.name); }));
}

Resources JobOnNode::needs(SupplyEntry const& entry, SupplyNode const& node,
                           Gres* left) const {
  auto const& have = entry.available(node);
  return {job_.each.cpus, memory_mb(have.memory_mb),
          plus(job_.each.gres, take_units(have.gres, left))};
}

std::vector<std::size_t> JobOnNode::parts(SupplyEntry const& entry,
                                          SupplyNode const& node,
                                          Resources const& needs) const {
  if (node.parts.empty()) return {};
  if (!job_.whole)
    if (auto parts = release_set(node.free, node.parts, needs)) return *parts;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < node.parts.size(); ++i)
    if (entry.takes_back || !node.parts[i].lent) all.push_back(i);
  return all;
}

Gres take_units(Gres const& free, Gres* left) {
  Gres taken;
  for (auto at = left->begin(); at != left->end();) {
    auto const& key = at->first;
    bool const typed = key.find(':') != std::string::npos;
    auto const found = free.find(key);
    auto const there = !typed                ? count_of(free, key)
                       : found == free.end() ? 0
                                             : found->second;
    if (auto const some = std::min(at->second, there); some > 0) {
      taken[key] = some;
      at->second -= some;
    }
    at = at->second == 0 ? left->erase(at) : std::next(at);
  }
  return taken;
}

}  // namespace gleaner::daemon
