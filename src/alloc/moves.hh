// SPDX-License-Identifier: Apache-2.0
/// Which moves of classes away from the relaxed problem's choice are worth a
/// try?
///
/// A move of a class to another option changes the units used by `units` and
/// costs `loss` of what the relaxed problem promised.  The promise is an upper
/// bound; a choice falls short of it by the losses of its moves, and by the
/// price of each unit it leaves.  So a solution that is known to fall short by
/// no more than `gap` rules out every move with a greater loss.
#pragma once

#include <cstddef>
#include <vector>

#include "alloc/hulls.hh"
#include "alloc/knapsack.hh"

namespace gleaner::alloc {

struct Move {
  int units = 0;  ///< more than the relaxed choice; never 0
  double loss = 0;
};

/// A class and its moves, cheapest in units first.
struct MovableClass {
  std::size_t index = 0;
  std::vector<Move> moves;
};

/// All classes with moves that lose less than `gap`, dominated ones left out.
std::vector<MovableClass> moves_within(Knapsack const& knapsack,
                                       Relaxation const& relaxed, double gap);

/// A class makes a move.
struct Step {
  std::size_t index = 0;
  int units = 0;
};

/// Moves that together fit, and what they lose, slack included.
struct Repair {
  double loss = 0;
  std::vector<Step> steps;
};

/// Spends what is left on the steepest moves that fit, one after the other,
/// while there are steps for it.
Repair spend_left(Knapsack const& knapsack, Relaxation const& relaxed,
                  Work* work);

}  // namespace gleaner::alloc
