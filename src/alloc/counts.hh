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

/// A node in a short hole is worth something only to the trainer that has it.
/// The trainer keeps it, and the common pool does not shrink by it.
///
/// Among plans worth the same, trainers that run stay as they are; else they
/// have more nodes rather than fewer; else the earlier trainer has them (with
/// Extras::work_left_first: the one with most work left).  Worth the same means
/// equal in the first eight digits.
/// How many nodes the trainers of one owner have together is decided as if all
/// weights were 1 and there were no deadlines; then these share them out.
/// The counts are the best that `steps_max` steps find.  Where nodes are shared
/// out again, `bound` exceeds `value` by what all choices together fall short.
Counts best_counts(Problem const& problem, Holdings const& holdings,
                   AllocatorOptions const& options, double steps_max);

}  // namespace gleaner::alloc
