// SPDX-License-Identifier: Apache-2.0
/// Which nodes, where not every trainer can use every node.
#pragma once

#include <functional>
#include <vector>

#include "alloc/allocator.hh"
#include "alloc/kind_component.hh"
#include "alloc/placement.hh"

namespace gleaner::alloc {

/// Hands out nodes that are alike: place(), place_cohorts().
using PlaceAlike =
    std::function<Plan(Problem const& problem, Holdings const& holdings,
                       std::vector<int> const& counts)>;

struct KindPlan {
  Plan plan;  ///< in the component's own nodes and trainers
  /// Trainers that lose a node which they could have kept, since a trainer that
  /// can use fewer kinds needs it.
  std::vector<char> is_displaced;
};

/// Gives trainer i of the component `counts[i]` nodes; these counts can be
/// served.
///
/// Trainers keep what they hold where that leaves enough for the others: the
/// number of nodes that change hands is the least possible.  New nodes come
/// from the kinds that the fewest trainers can use, so that the other kinds
/// stay for trainers that need them; within a kind in the order of `place`.
KindPlan place_by_kind(KindComponent const& component,
                       std::vector<int> const& counts, PlaceAlike const& place);

}  // namespace gleaner::alloc
