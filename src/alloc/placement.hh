// SPDX-License-Identifier: Apache-2.0
/// Which nodes, once it is known how many each trainer gets.
///
/// Common to all policies.  A trainer keeps the nodes it has; one that shrinks
/// gives up those it has least use of: the shortest holes, among equals those
/// that Slurm would take first (lowest Weight), then the ones it got last.  One
/// that grows gets the longest holes, then the highest Weight, then those in
/// front in Problem::nodes.
#pragma once

#include <vector>

#include "alloc/allocator.hh"

namespace gleaner::alloc {

/// What each trainer holds of Problem::nodes, and what can be handed out.
struct Holdings {
  /// Nodes of trainer i, in the order it prefers to keep them: first those
  /// nobody else could get, then the best.
  std::vector<std::vector<NodeIndex>> held;
  /// Of those, the first `bound[i]` are in holes too short to be lent anew.
  std::vector<int> bound;
  /// Nodes nobody holds and that may be lent, best first.
  std::vector<NodeIndex> free;

  /// How many nodes can move between trainers: the free ones and all held
  /// ones but the bound.
  int pool = 0;
};

Holdings holdings(Problem const& problem);

/// May the node be given to a trainer that does not hold it?
bool is_lendable(Problem const& problem, NodeIndex node);

/// Give trainer i `counts[i]` nodes.  Where nodes run out, trainers are served
/// in order of arrival, and one that cannot have nodes_min gets none.
Plan place(Problem const& problem, Holdings const& holdings,
           std::vector<int> const& counts);

}  // namespace gleaner::alloc
