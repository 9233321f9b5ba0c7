// SPDX-License-Identifier: Apache-2.0
/// Counting by kind, then by partition.
#include "daemon/decisions/count_free.hh"

#include <algorithm>
#include <map>
#include <utility>

#include "core/place.hh"

namespace gleaner::daemon {
namespace {

bool can_be_asked_back(Lease const& lease) {
  return lease.is_used() || lease.state == Lease::State::returning;
}

/// What leases of parts that can be asked back have, by node.
std::map<std::string, Resources> lent_parts(LeaseTable const& leases) {
  std::map<std::string, Resources> lent;
  for (auto const& [nonce, lease] : leases.all())
    if (lease.part && can_be_asked_back(lease)) {
      auto& sum = lent[node_of(lease.node)];
      sum = plus(sum, *lease.part);
    }
  return lent;
}

/// One node with `free` free, and `lent` more once leases are given back.
void count_node(FreeNodes::Partition* counts, Resources const& total,
                Resources const& free, Resources const& lent) {
  bool const idle = free == total;
  bool const idle_then = !idle && free.cpus + lent.cpus >= total.cpus;
  if (idle) ++counts->idle;
  if (idle_then) ++counts->lent;
  if (!idle && free.cpus > 0) ++counts->partly;
  auto const gpus = count_of(free.gres, "gpu");
  count_gpus(&counts->gpus, gpus);
  // An offer may be taken up before a snapshot shows what it takes.
  count_gpus(&counts->gpus_back, std::min(count_of(total.gres, "gpu"),
                                          gpus + count_of(lent.gres, "gpu")));
}

void add(NodesByGpus* sum, NodesByGpus const& counts) {
  if (sum->size() < counts.size()) sum->resize(counts.size(), 0);
  for (std::size_t k = 0; k < counts.size(); ++k) (*sum)[k] += counts[k];
}

/// Partitions without a lent node, or a lent GPU, are left out.
FreeNodes by_partition(Snapshot const& snapshot,
                       std::vector<FreeNodes::Partition> const& by_kind,
                       std::string const& default_partition, TimeS until_s) {
  std::map<std::string, FreeNodes::Partition> partitions;
  for (KindIndex kind = 0; kind < by_kind.size(); ++kind)
    for (auto const& name : snapshot.kinds[kind].partitions) {
      auto& sum = partitions[name];
      sum.idle += by_kind[kind].idle;
      sum.partly += by_kind[kind].partly;
      sum.lent += by_kind[kind].lent;
      add(&sum.gpus, by_kind[kind].gpus);
      add(&sum.gpus_back, by_kind[kind].gpus_back);
    }
  FreeNodes free{until_s, 0, {}};
  for (auto& [name, sum] : partitions) {
    if (sum.lent == 0 && sum.gpus == sum.gpus_back) continue;
    sum.name = name;
    sum.is_default = name == default_partition;
    free.partitions.push_back(std::move(sum));
  }
  return free;
}

}  // namespace

FreeNodes count_free(Snapshot const& snapshot, LeaseTable const& leases,
                     std::string const& default_partition, TimeS until_s) {
  std::vector<FreeNodes::Partition> by_kind(snapshot.kinds.size());
  auto const lease_on = leases.by_node();
  for (auto const& hole : snapshot.holes) {
    auto const lease = lease_on.find(hole.node);
    if (hole.kind >= by_kind.size()) continue;
    auto const& total = snapshot.kinds[hole.kind].total;
    if (lease == lease_on.end() && !hole.leased)
      count_node(&by_kind[hole.kind], total, total, {});
    else if (lease != lease_on.end() && can_be_asked_back(*lease->second))
      count_node(&by_kind[hole.kind], total, {}, total);
  }
  auto const parts = lent_parts(leases);
  for (auto const& node : snapshot.shared) {
    if (node.kind >= by_kind.size()) continue;
    auto const lent = parts.find(node.node);
    count_node(&by_kind[node.kind], snapshot.kinds[node.kind].total, node.free,
               lent == parts.end() ? Resources{} : lent->second);
  }
  return by_partition(snapshot, by_kind, default_partition, until_s);
}

}  // namespace gleaner::daemon
