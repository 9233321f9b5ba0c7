// SPDX-License-Identifier: Apache-2.0
/// Which nodes are alike, so that a snapshot says once what they have.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/cluster.hh"
#include "slurm/snapshot.hh"

namespace gleaner {

/// The kinds of a set of nodes, in the order in which their first nodes come.
struct NodeKinds {
  std::vector<NodeKind> kinds;
  std::vector<KindIndex> of;  ///< the kind of each node, as in the records
};

/// GRES that cannot be read count as none.
NodeKinds node_kinds(std::vector<NodeRecord> const& nodes,
                     std::vector<PartitionRecord> const& partitions);

}  // namespace gleaner
