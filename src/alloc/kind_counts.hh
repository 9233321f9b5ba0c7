// SPDX-License-Identifier: Apache-2.0
/// How many nodes each trainer gets where not every trainer can use every node.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "alloc/allocator.hh"
#include "alloc/counts.hh"
#include "alloc/placement.hh"
#include "core/result.hh"

namespace gleaner::alloc {

/// Numbers of nodes for the trainers of a problem in which all nodes are alike.
/// `problem.nodes` and the trainers' nodes tell numbers only.
using AlikeCounts = std::function<Result<Counts>(
    Problem const& problem, Holdings const& holdings, double steps_max)>;

/// What there is of each kind, and who can have it.
struct KindSupply {
  std::vector<int> nodes;  ///< of each kind, that any trainer may have
  /// Of each trainer: nodes nobody else may have, which it may keep.
  std::vector<int> own;
  /// Of each trainer: the kinds it can use, as places in `nodes`.
  std::vector<std::vector<std::size_t>> use;
};

/// Solves as if nodes were alike.  If a set of trainers was then given more
/// nodes than there are that it can use, solves this set alone on these nodes,
/// and the others on what is left.  This is the decomposition of Fujishige
/// (1980) and Groenevelt (1991) for polymatroids, here a transversal one: exact
/// where worth is concave in the number of nodes, and near it otherwise
/// (doc/results-allocator.md).
///
/// The counts can be served: a flow from trainers to kinds exists.  `bound` is
/// that of nodes that are alike, so no counts can exceed it here; the caller
/// sets `value`.
Result<Counts> counts_by_kind(Problem const& problem, KindSupply const& supply,
                              AlikeCounts const& solve, double steps_max);

/// Trainers that can use the same kinds: of each trainer its group, groups
/// counted from 0.
std::vector<std::size_t> groups_of(KindSupply const& supply);

}  // namespace gleaner::alloc
