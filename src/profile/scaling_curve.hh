// SPDX-License-Identifier: Apache-2.0
/// How fast a trainer is on k nodes, compared with one: guessed, then measured.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <vector>

namespace gleaner::profile {

/// Begins with a mildly concave guess, k^0.95, and follows what is measured:
/// at a measured size it is the median measurement, between two the ratio to
/// the guess is interpolated, beyond them it stays that of the nearest size.
///
///     ScalingCurve curve;
///     curve.add(1, 100.0);    // samples/s on one node
///     curve.add(4, 300.0);
///     curve.speed(4)[4];      // 3.0
class ScalingCurve {
 public:
  /// Note a measurement in steady state.  Ignores what cannot be a speed.
  void add(int nodes, double samples_per_s);

  /// Speed on 0, 1, … nodes_max nodes as a multiple of that on one node.
  std::vector<double> speed(int nodes_max) const;

  /// Median samples/s at this size; 0 where nothing was measured.
  double samples_per_s(int nodes) const;

  /// How many measurements count at each size: the latest ones.
  static constexpr std::size_t kept = 31;

 private:
  /// Measured over guessed, by size.
  std::map<int, double> ratios() const;

  std::map<int, std::deque<double>> measured_;
};

}  // namespace gleaner::profile
