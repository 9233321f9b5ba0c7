// SPDX-License-Identifier: Apache-2.0
/// Which options of each class are best at a price.
#pragma once

#include <vector>

#include "alloc/knapsack.hh"

namespace gleaner::alloc {

/// Options first … last of a class.
struct Span {
  int first = 0;
  int last = 0;
};

/// From the least option that is best at the `high` price to the greatest that
/// is best at the `low` one.  Whatever is best at a price between lies between.
std::vector<Span> best_between(Knapsack const& knapsack, double high,
                               double low);

}  // namespace gleaner::alloc
