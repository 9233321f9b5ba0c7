// SPDX-License-Identifier: Apache-2.0
/// How much a search may still do, counted in steps of its innermost loops.
///
/// Counted and not timed: equal problems end at the same step and get equal
/// plans, on every machine and however busy it is.  A step is a comparison and
/// an addition, about a nanosecond.
#pragma once

#include <limits>

namespace gleaner::alloc {

inline constexpr double unlimited_steps =
    std::numeric_limits<double>::infinity();

class Work {
 public:
  explicit Work(double steps_max) : left_(steps_max) {}

  /// To be asked before so many steps are made; false: they are too many.
  /// Nothing that was refused counts.
  bool take(double steps) {
    if (steps > left_) return false;
    left_ -= steps;
    done_ += steps;
    return true;
  }
  double left() const { return left_; }
  double done() const { return done_; }

 private:
  double left_;
  double done_ = 0;
};

}  // namespace gleaner::alloc
