// SPDX-License-Identifier: Apache-2.0
/// Which nodes are alike, so that a snapshot says once what they have.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/cluster.hh"
#include "slurm/snapshot.hh"

namespace gleaner::slurm {

/// The kinds of a set of nodes, in the order in which their first nodes come.
struct NodeKinds {
  std::vector<NodeKind> kinds;
  std::vector<KindIndex> of;  ///< the kind of each node, as in the records
};

/// GRES that cannot be read count as none.
NodeKinds node_kinds(std::vector<NodeRecord> const& nodes,
                     std::vector<PartitionRecord> const& partitions);

/// Finds them again only when what they are made of has changed.
class NodeKindMemory {
 public:
  /// The same as node_kinds().  Valid until the next call.
  NodeKinds const& of(std::vector<NodeRecord> const& nodes,
                      std::vector<PartitionRecord> const& partitions);

 private:
  std::vector<NodeRecord> nodes_;
  std::vector<PartitionRecord> partitions_;
  NodeKinds kinds_;
};

}  // namespace gleaner::slurm
