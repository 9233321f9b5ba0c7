// SPDX-License-Identifier: Apache-2.0
/// Sorting out the nodes that are lent in parts.
#include "slurm/parted_nodes.hh"

#include <algorithm>
#include <utility>

#include "core/part_size.hh"
#include "slurm/pending_jobs.hh"

namespace gleaner::slurm {
namespace {

using State = JobRecord::State;

bool is_parted(NodeKind const& kind,
               std::vector<PartitionRecord> const& partitions,
               SnapshotOptions const& options) {
  auto const& named = options.parts_partitions;
  bool const wanted = named.empty() ||
                      std::any_of(named.begin(), named.end(),
                                  [&](auto& name) { return kind.is_in(name); });
  auto const shuts_out = [&](PartitionRecord const& partition) {
    return kind.is_in(partition.name) &&
           (partition.one_user_a_node ||
            (partition.one_job_a_node &&
             partition.name == options.lease_partition));
  };
  return wanted && options.parts_per_node_max > 0 &&
         kind.is_in(options.lease_partition) &&
         !gpu_types(kind.total.gres).empty() &&
         std::none_of(partitions.begin(), partitions.end(), shuts_out);
}

/// How much of what it asks for on all nodes together falls to each is not
/// known: it may be all.
NodeUse use_of(JobRecord const& job, TimeS time_s) {
  bool const whole = job.whole || job.own_user_only || !job.gres.empty();
  return {job.job, job.each, whole, time_s};
}

bool holds_nodes(JobRecord const& job) {
  return job.state != State::over && job.state != State::pending;
}

void add_jobs(PartedNodes* parted, ClusterRecords const& records,
              SnapshotOptions const& options) {
  for (auto const& job : records.jobs) {
    if (job.partition == options.lease_partition) continue;
    if (holds_nodes(job))
      for (auto const& node : job.nodes)
        if (auto const at = parted->find(node); at != parted->end())
          at->second.running.push_back(use_of(job, job.end_s));
    if (has_plan(job))
      for (auto const& node : job.planned)
        if (auto const at = parted->find(node); at != parted->end())
          at->second.planned.push_back(use_of(job, job.start_s));
  }
  auto const sooner = [](NodeUse const& a, NodeUse const& b) {
    return std::pair(a.time_s, a.job) < std::pair(b.time_s, b.job);
  };
  for (auto& [name, node] : *parted) {
    std::sort(node.running.begin(), node.running.end(), sooner);
    std::sort(node.planned.begin(), node.planned.end(), sooner);
  }
}

void add_reservations(PartedNodes* parted, ClusterRecords const& records,
                      SnapshotOptions const& options) {
  for (auto const& reservation : records.reservations) {
    if (reservation.name == options.reservation) continue;
    for (auto const& node : reservation.nodes) {
      auto const at = parted->find(node);
      if (at == parted->end()) continue;
      auto& first_s = at->second.reserved_s;
      first_s =
          std::min(first_s.value_or(reservation.start_s), reservation.start_s);
    }
  }
}

}  // namespace

PartedNodes parted_nodes(std::vector<NodeKind>* kinds,
                         ClusterRecords const& records,
                         SnapshotOptions const& options) {
  PartedNodes parted;
  if (options.parts_per_node_max == 0) return parted;
  for (auto& kind : *kinds) {
    if (!is_parted(kind, records.partitions, options)) continue;
    kind.parts_max = options.parts_per_node_max;
    for (auto const& node : records.nodes)
      if (kind.nodes.contains(node.name)) parted[node.name].parted = true;
  }
  add_jobs(&parted, records, options);
  add_reservations(&parted, records, options);
  return parted;
}

}  // namespace gleaner::slurm
