// SPDX-License-Identifier: Apache-2.0
/// Which nodes, once it is known how many each trainer gets.
///
/// All policies share this.  A trainer keeps the nodes it has.  A trainer that
/// shrinks gives up the nodes of least use to it: those in the shortest holes,
/// among equals those that Slurm would take first (lowest Weight), then those
/// it got last.  A trainer that grows gets the nodes in the longest holes, then
/// those of the highest Weight, then those in front in Problem::nodes.
#pragma once

#include <vector>

#include "alloc/allocator.hh"

namespace gleaner::alloc {

/// What each trainer holds of Problem::nodes, and what can be handed out.
struct Holdings {
  /// Nodes of trainer i, in the order it prefers to keep them: first those
  /// nobody else could get, then the best.
  std::vector<std::vector<NodeIndex>> held;
  /// Of those, the first `bound[i]` are in holes too short to be lent again.
  std::vector<int> bound;
  /// Nodes that no trainer holds and that may be lent, best first.
  std::vector<NodeIndex> free;

  /// How many nodes can move between trainers: the free ones, and the held ones
  /// that are not bound.
  int pool = 0;
};

Holdings holdings(Problem const& problem);

/// May the node be given to a trainer that does not hold it?
bool is_lendable(Problem const& problem, NodeIndex node);

/// Gives trainer i `counts[i]` nodes.  If nodes run out, trainers are served in
/// order of arrival, and a trainer that cannot have nodes_min gets none.
Plan place(Problem const& problem, Holdings const& holdings,
           std::vector<int> const& counts);

}  // namespace gleaner::alloc
