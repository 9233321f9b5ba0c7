// SPDX-License-Identifier: Apache-2.0
/// Which nodes, once it is known how many each trainer gets.
///
/// Common to all policies.  A trainer keeps the nodes it has; one that shrinks
/// gives up those it has least use of; one that grows gets the longest holes,
/// and among equals those that Slurm would take last (highest Weight).
#pragma once

#include <vector>

#include "alloc/allocator.hh"

namespace gleaner {

/// What each trainer holds of Problem::nodes, and what can be handed out.
struct Holdings {
  /// Nodes trainer i has and may keep, in the order it prefers to keep them:
  /// first those nobody else could get, then the longest holes.
  std::vector<std::vector<Node const*>> held;
  /// Of those, the first `bound[i]` are in holes too short to be lent anew.
  std::vector<int> bound;
  /// Nodes nobody holds and that may be lent, best first.
  std::vector<Node const*> free;

  /// Nodes that can move between trainers: the free ones and all held ones
  /// but the bound.
  int pool() const;
};

Holdings holdings(Problem const& problem);

/// Give trainer i `counts[i]` nodes.  Where nodes run out, trainers are served
/// in order of arrival, and one that cannot have nodes_min gets none.
Plan place(Problem const& problem, Holdings const& holdings,
           std::vector<int> counts);

}  // namespace gleaner
