// SPDX-License-Identifier: Apache-2.0
/// Medians, and the guess bent to them.
#include "profile/scaling_curve.hh"

#include <algorithm>
#include <cmath>

#include "core/contract.hh"

namespace gleaner::profile {
namespace {

double guess(int nodes) { return std::pow(nodes, 0.95); }

double median(std::vector<double> values) {
  auto const middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Linear between the known sizes, constant beyond them.
double interpolate(std::map<int, double> const& known, int nodes) {
  EXPECT(!known.empty());
  auto const above = known.lower_bound(nodes);
  if (above == known.begin()) return above->second;
  if (above == known.end()) return known.rbegin()->second;
  auto const below = std::prev(above);
  double const part =
      static_cast<double>(nodes - below->first) / (above->first - below->first);
  return below->second + part * (above->second - below->second);
}

}  // namespace

void ScalingCurve::add(int nodes, double samples_per_s) {
  if (nodes < 1 || !std::isfinite(samples_per_s) || samples_per_s <= 0) return;
  auto& values = measured_[nodes];
  values.push_back(samples_per_s);
  if (values.size() > kept) values.pop_front();
}

double ScalingCurve::samples_per_s(int nodes) const {
  auto const found = measured_.find(nodes);
  if (found == measured_.end()) return 0;
  return median({found->second.begin(), found->second.end()});
}

std::map<int, double> ScalingCurve::ratios() const {
  std::map<int, double> result;
  for (auto const& [nodes, values] : measured_)
    result[nodes] = samples_per_s(nodes) / guess(nodes);
  return result;
}

std::vector<double> ScalingCurve::speed(int nodes_max) const {
  EXPECT(nodes_max >= 0, nodes_max);
  auto const known = ratios();
  double const one = known.empty() ? 1 : interpolate(known, 1);
  std::vector<double> result{0};
  for (int k = 1; k <= nodes_max; ++k)
    result.push_back(guess(k) *
                     (known.empty() ? 1 : interpolate(known, k) / one));
  return result;
}

}  // namespace gleaner::profile
