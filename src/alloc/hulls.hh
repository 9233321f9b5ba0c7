// SPDX-License-Identifier: Apache-2.0
/// The knapsack if options could be mixed: concave hulls and the price of a
/// node.
#pragma once

#include <cstddef>
#include <vector>

#include "alloc/knapsack.hh"

namespace gleaner::alloc {

/// What the relaxed problem says of the real one.
struct Relaxation {
  /// What one unit of capacity is worth at the limit; 0: there is enough.
  double price = 0;
  /// A choice that fits.  Each option is best at that price:
  /// worth − price · units is the largest of its class.
  std::vector<int> choice;
  int left = 0;  ///< capacity that the choice leaves
};

/// Solves the relaxed problem.  The choice solves the real one if nothing is
/// left or the price is 0.
Relaxation relax(Knapsack const& knapsack);

}  // namespace gleaner::alloc
