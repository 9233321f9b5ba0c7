// SPDX-License-Identifier: Apache-2.0
/// The cheapest set of moves that fills what the relaxed choice leaves.
#pragma once

#include <optional>
#include <vector>

#include "alloc/moves.hh"

namespace gleaner::alloc {

/// What a set of moves has to reach.
struct Goal {
  int left = 0;          ///< units that may be added
  double price = 0;      ///< lost for each that is not
  double gap = 0;        ///< what loses this or more is of no interest
  double tolerance = 0;  ///< smaller differences are rounding
};

/// The moves as if each could be made any number of times: then only the units
/// still to be filled matter, and the cheapest way is a shortest path.
///
/// Moves up and down can be ordered so that the units in between stay near the
/// goal.  That limits the path's window, so the search is cheap.
class Unbounded {
 public:
  Unbounded(std::vector<MovableClass> const& classes, Goal const& goal,
            Work* work);

  /// False: the steps were used up first.  Then only loss_from(0) still holds.
  bool is_complete() const { return is_complete_; }

  /// The least that any set of moves can lose after `units` have been added. If
  /// nothing better is known, at least `gap`.
  double loss_from(int units) const;

  /// The moves of the shortest path, each made by the class that loses least
  /// of those not used yet, if there are enough.  Loses loss_from(0) only if no
  /// class was wanted twice.
  std::optional<Repair> path(std::vector<MovableClass> const& classes) const;

 private:
  std::vector<int> shortest_path() const;
  void settle(int units);
  double& loss(int units) {
    return loss_[static_cast<std::size_t>(units - low_)];
  }

  int low_ = 0, high_ = 0;  // window of units added
  int up_ = 0, down_ = 0;   // greatest moves
  double gap_, price_;
  bool is_complete_ = true;
  int left_;
  std::vector<double> move_;  // loss of the cheapest move of −down … up units
  std::vector<double> loss_;
  std::vector<int> settled_;  // when, counted from 1; 0: not
};

/// What a search may cost before another way is taken.
struct Effort {
  double steps = 0;   ///< of the innermost loop
  double states = 0;  ///< that are kept, 8 bytes each
};

/// What a search has found.
struct Found {
  std::optional<Repair> repair;  ///< none: nothing that loses less than the gap
  bool is_complete = true;  ///< false: it may not be the best, or there is one
  double steps = 0;         ///< that were made
};

/// The best set of moves that loses less than the gap, by dynamic programming
/// over the classes, if there is one; not complete when it would take more than
/// `most`.
Found best_repair(std::vector<MovableClass> classes, Unbounded const& bound,
                  Goal const& goal, Effort most);

}  // namespace gleaner::alloc
