// SPDX-License-Identifier: Apache-2.0
/// Which holes are too short to be of any use to a trainer?
///
/// A node that Slurm is known to use soon serves a trainer that starts within a
/// second, and not one that loads for a minute.  Trainers cannot use nodes of
/// such holes: eligibility of each trainer, by its own measured costs.
#pragma once

#include <memory>

#include "alloc/allocator.hh"

namespace gleaner::alloc {

/// How many seconds a node must be there for this trainer to gain anything by
/// it, whatever else it gets.  A trainer that waits must start and leave again:
/// start_s + shrink_s.  One that runs with speed v and would run at best with V
/// stands still for expand_s + shrink_s, which costs v · (expand_s + shrink_s)
/// and has to be regained at V − v.  0 for one that cannot grow.
double hole_s_needed(Trainer const& trainer);

/// The same problem, where trainers cannot use nodes in holes that are too
/// short for them: such nodes are of kinds of their own.  What is needed is
/// rounded down to a power of √2, so that there are few kinds.  The problem
/// itself where no hole is too short for anybody.
Problem without_short_holes(Problem const& problem);

/// Policy `policy`, asked of that problem.
std::unique_ptr<Allocator> heeding_short_holes(
    std::unique_ptr<Allocator> policy);

}  // namespace gleaner::alloc
