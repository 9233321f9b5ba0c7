// SPDX-License-Identifier: Apache-2.0
/// Which nodes, so that few trainers are hit when Slurm takes nodes back.
#pragma once

#include <vector>

#include "alloc/allocator.hh"
#include "alloc/placement.hh"

namespace gleaner::alloc {

/// A cohort is the nodes that became idle together; mostly Slurm takes them
/// back together too.  Trainers that grow anyway have the nodes they hold and
/// the free ones dealt anew: the biggest trainer first, the most stable cohorts
/// first and whole: the longest holes, among equals the oldest.  Within a
/// cohort a trainer keeps what it has.  All others keep their nodes, as with
/// place(); without swaps so do those that grow, and only free nodes are dealt.
enum class Swaps { no, yes };
Plan place_cohorts(Problem const& problem, Holdings const& holdings,
                   std::vector<int> const& counts, Swaps swaps);

}  // namespace gleaner::alloc
