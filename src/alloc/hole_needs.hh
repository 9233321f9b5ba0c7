// SPDX-License-Identifier: Apache-2.0
/// Which holes are too short to be of any use to a trainer?
///
/// A node that Slurm will soon use is of use to a trainer that starts within a
/// second, but not to one that loads for a minute.  Which holes a trainer can
/// use follows from its own measured costs.
#pragma once

#include <memory>

#include "alloc/allocator.hh"

namespace gleaner::alloc {

/// How many seconds a hole must last for this trainer to gain anything by its
/// node, whatever other nodes it gets.  A trainer that waits must start and
/// leave again: start_s + shrink_s.  One that runs with speed v and would run
/// at best with V stands still for expand_s + shrink_s, which costs v ·
/// (expand_s + shrink_s) and has to be regained at V − v.  0 for one that
/// cannot grow.
double hole_s_needed(Trainer const& trainer);

/// The same problem, in which trainers cannot use nodes in holes that are too
/// short for them: such nodes are of kinds of their own.  The needed time is
/// rounded down to a power of √2, so that there are few kinds.  If no hole is
/// too short for any trainer, the problem is returned unchanged.
Problem without_short_holes(Problem const& problem);

/// Policy `policy`, asked of that problem.
std::unique_ptr<Allocator> heeding_short_holes(
    std::unique_ptr<Allocator> policy);

}  // namespace gleaner::alloc
