// SPDX-License-Identifier: Apache-2.0
/// The numbers of nodes that are worth most together.
#pragma once

#include <vector>

#include "alloc/allocator.hh"
#include "alloc/placement.hh"

namespace gleaner::alloc {

/// Numbers of nodes, and how good they are.
struct Counts {
  std::vector<int> counts;  ///< of each trainer
  /// What they gain; and what no others could exceed.  Both 0: not known.
  double value = 0;
  double bound = 0;
  double steps = 0;  ///< that it took to find them (work.hh)
};

/// Nodes in short holes are worth something only to the trainer that has them:
/// it keeps them without using up the common pool.
///
/// Among plans worth the same, trainers that run stay as they are; else they
/// have more nodes rather than fewer; else the earlier trainer has them (with
/// Extras::work_left_first: the one with most work left).  Worth the same means
/// equal in the first eight digits.
/// How many nodes the trainers of one owner have together is decided as if all
/// weights were 1 and there were no deadlines; then these share them out.
/// The best as far as `steps_max` steps find them.  Where nodes are shared out
/// again, `bound` is as far from `value` as all choices fall short together.
Counts best_counts(Problem const& problem, Holdings const& holdings,
                   AllocatorOptions const& options, double steps_max);

}  // namespace gleaner::alloc
