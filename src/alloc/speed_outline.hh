// SPDX-License-Identifier: Apache-2.0
/// How fast can a trainer be at most on a range of sizes, without a look at
/// each?
///
/// To read a curve over thousands of nodes takes longer than to decide from it.
/// So the owner of a curve keeps its outline beside it: some fifty straight
/// lines that lie nowhere below the curve.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace gleaner::alloc {

class SpeedOutline {
 public:
  /// For sizes first … last, speed is at most intercept + slope · size.
  struct Stretch {
    int first = 0;
    int last = 0;
    double intercept = 0;
    double slope = 0;
  };

  /// Of speeds on 0, 1, … nodes.
  explicit SpeedOutline(std::vector<double> const& speed);

  /// Size 0 is in none; together they cover all others, in ascending order.
  std::vector<Stretch> const& stretches() const { return stretches_; }

 private:
  std::vector<Stretch> stretches_;
};

/// Outlines of shorter curves save nothing.
inline constexpr std::size_t outlined_sizes_min = 128;

/// The outline of a curve, none if it is short.
std::shared_ptr<SpeedOutline const> outline_of(
    std::vector<double> const& speed);

}  // namespace gleaner::alloc
