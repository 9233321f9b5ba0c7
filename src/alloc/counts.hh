// SPDX-License-Identifier: Apache-2.0
/// The numbers of nodes that are worth most together.
#pragma once

#include <vector>

#include "alloc/allocator.hh"
#include "alloc/placement.hh"

namespace gleaner {

/// Nodes in short holes are worth something only to the trainer that has them:
/// it keeps them without using up the common pool.
///
/// Among plans worth the same, trainers that run stay as they are; else they
/// have more nodes rather than fewer; else the earlier trainer has them (with
/// Extras::work_left_first: the one with most work left).  Worth the same means
/// equal in the first eight digits.
/// How many nodes the trainers of one owner have together is decided as if all
/// weights were 1 and there were no deadlines; then these share them out.
std::vector<int> best_counts(Problem const& problem, Holdings const& holdings,
                             AllocatorOptions const& options);

}  // namespace gleaner
