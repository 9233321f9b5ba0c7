// SPDX-License-Identifier: Apache-2.0
/// What is the median, or the 99th percentile, of some values?
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace gleaner {

/// The smallest value that at least `part` (0 … 1) of the values do not exceed:
/// a value that occurred, the "nearest rank".  0 when there are none.
inline double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  auto const count = static_cast<double>(values.size());
  auto const rank = std::clamp(std::ceil(part * count), 1.0, count);
  auto const at = values.begin() + static_cast<std::ptrdiff_t>(rank) - 1;
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace gleaner
