// SPDX-License-Identifier: Apache-2.0
/// Which nodes, so that few trainers are hit when Slurm takes nodes back.
#pragma once

#include <vector>

#include "alloc/allocator.hh"
#include "alloc/placement.hh"

namespace gleaner::alloc {

/// A cohort is a set of nodes that became idle together; Slurm mostly takes
/// them back together too.  For trainers that grow, the nodes they hold and the
/// free ones are dealt out again: to the biggest trainer first, the most stable
/// cohorts first and whole (the longest holes, among equals the oldest). Within
/// a cohort a trainer keeps what it has.  All other trainers keep their nodes,
/// as with place().  Without swaps the growing ones keep theirs too, and only
/// free nodes are dealt.
enum class Swaps { no, yes };
Plan place_cohorts(Problem const& problem, Holdings const& holdings,
                   std::vector<int> const& counts, Swaps swaps);

}  // namespace gleaner::alloc
