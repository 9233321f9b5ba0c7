// SPDX-License-Identifier: Apache-2.0
/// Which nodes are lent in parts, and what rigid jobs have of them?
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "slurm/snapshot.hh"

namespace gleaner::slurm {

/// By the node's name: what a SharedNode says of a parted node alone.  Names
/// are those in `records`, which outlive it.
using PartedNodes = std::unordered_map<std::string_view, SharedNode>;

/// Nodes of kinds that are in the lease partition, have GPUs and are in one of
/// parts_partitions (any, when none is named).  Sets parts_max of their kinds.
///
/// Not in parts are nodes of a partition with ExclusiveUser=YES: Slurm preempts
/// no lease of another user for its jobs, which would wait for the lease's end.
/// Nor any where the lease partition gives each job its whole nodes.
PartedNodes parted_nodes(std::vector<NodeKind>* kinds,
                         ClusterRecords const& records,
                         SnapshotOptions const& options);

}  // namespace gleaner::slurm
