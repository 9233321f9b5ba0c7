// SPDX-License-Identifier: Apache-2.0
/// Counts, then placement.
#include "alloc/exact.hh"

#include "alloc/cohorts.hh"
#include "alloc/counts.hh"
#include "alloc/placement.hh"

namespace gleaner {

Result<Plan> Exact::allocate(Problem const& problem,
                             std::chrono::milliseconds) {
  auto const have = holdings(problem);
  auto const counts = best_counts(problem, have, options_);
  return options_.extras.cohorts
             ? place_cohorts(problem, have, counts,
                             options_.extras.swaps ? Swaps::yes : Swaps::no)
             : place(problem, have, counts);
}

}  // namespace gleaner
