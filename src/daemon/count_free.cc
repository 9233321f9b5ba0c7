// SPDX-License-Identifier: Apache-2.0
/// Counting by kind, then by partition.
#include "daemon/count_free.hh"

#include <map>

namespace gleaner {
namespace {

bool can_be_asked_back(Lease const& lease) {
  return lease.is_used() || lease.state == Lease::State::returning;
}

}  // namespace

FreeNodes count_free(Snapshot const& snapshot, LeaseTable const& leases,
                     std::string const& default_partition, TimeS until_s) {
  std::vector<FreeNodes::Partition> by_kind(snapshot.kinds.size());
  auto const lease_on = leases.by_node();
  auto const count_node = [&](KindIndex kind, Resources const& free) {
    auto& counts = by_kind[kind];
    bool const untouched = free == snapshot.kinds[kind].total;
    ++(untouched ? counts.idle : counts.partly);
    if (!free.gres.empty()) ++counts.gres;
  };
  for (auto const& hole : snapshot.holes) {
    auto const lease = lease_on.find(hole.node);
    if (hole.kind >= by_kind.size()) continue;
    if (lease == lease_on.end() && !hole.leased)
      count_node(hole.kind, snapshot.kinds[hole.kind].total);
    else if (lease != lease_on.end() && can_be_asked_back(*lease->second))
      ++by_kind[hole.kind].lent;
  }
  for (auto const& node : snapshot.shared)
    if (node.kind < by_kind.size()) count_node(node.kind, node.free);

  std::map<std::string, FreeNodes::Partition> partitions;
  for (KindIndex kind = 0; kind < by_kind.size(); ++kind)
    for (auto const& name : snapshot.kinds[kind].partitions) {
      auto& sum = partitions[name];
      sum.idle += by_kind[kind].idle;
      sum.partly += by_kind[kind].partly;
      sum.gres += by_kind[kind].gres;
      sum.lent += by_kind[kind].lent;
    }
  FreeNodes free{until_s, {}};
  for (auto& [name, sum] : partitions) {
    if (sum.lent == 0) continue;
    sum.name = name;
    sum.is_default = name == default_partition;
    free.partitions.push_back(std::move(sum));
  }
  return free;
}

}  // namespace gleaner
