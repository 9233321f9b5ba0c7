// SPDX-License-Identifier: Apache-2.0
/// Counts, then placement.
#include "alloc/exact.hh"

#include "alloc/cohorts.hh"
#include "alloc/counts.hh"
#include "alloc/placement.hh"

namespace gleaner::alloc {

Result<Decision> Exact::allocate(Problem const& problem,
                                 std::chrono::milliseconds) {
  auto const have = holdings(problem);
  auto const best = best_counts(problem, have, options_, options_.steps_max);
  auto const swaps = options_.extras.swaps ? Swaps::yes : Swaps::no;
  return Decision{options_.extras.cohorts
                      ? place_cohorts(problem, have, best.counts, swaps)
                      : place(problem, have, best.counts),
                  best.value, best.bound, best.steps};
}

}  // namespace gleaner::alloc
