// SPDX-License-Identifier: Apache-2.0
/// Stretches that grow with the size, each with the better one of two lines.
#include "alloc/speed_outline.hh"

#include <algorithm>

namespace gleaner::alloc {
namespace {

/// Sizes in a stretch: so many, and an eighth of its first size if that is
/// more.
constexpr int stretch_sizes_min = 8;
constexpr int stretch_share = 8;

/// The greatest speed − slope · size, read by rows so that it is vectorised.
double intercept(double const* speed, int first, int last, double slope) {
  constexpr int row = 8;
  double most[row];
  std::fill_n(most, row, speed[first] - slope * first);
  int k = first;
  for (; k + row <= last + 1; k += row)
    for (int i = 0; i < row; ++i)
      most[i] = std::max(most[i], speed[k + i] - slope * (k + i));
  for (; k <= last; ++k) most[0] = std::max(most[0], speed[k] - slope * k);
  return *std::max_element(most, most + row);
}

/// The line through both ends, moved up, suits a smooth curve; a level one
/// suits speeds that jump.  The lower one in the middle is taken.
SpeedOutline::Stretch stretch_of(double const* speed, int first, int last) {
  SpeedOutline::Stretch level{first, last, intercept(speed, first, last, 0), 0};
  if (first == last) return level;
  double const slope = (speed[last] - speed[first]) / (last - first);
  SpeedOutline::Stretch line{first, last, intercept(speed, first, last, slope),
                             slope};
  double const middle = line.intercept + slope * (first + last) / 2;
  return middle < level.intercept ? line : level;
}

}  // namespace

SpeedOutline::SpeedOutline(std::vector<double> const& speed) {
  int const sizes = static_cast<int>(speed.size());
  for (int first = 1; first < sizes;) {
    int const count = std::max(stretch_sizes_min, first / stretch_share);
    int const last = std::min(sizes - 1, first + count - 1);
    stretches_.push_back(stretch_of(speed.data(), first, last));
    first = last + 1;
  }
}

std::shared_ptr<SpeedOutline const> outline_of(
    std::vector<double> const& speed) {
  if (speed.size() < outlined_sizes_min) return nullptr;
  return std::make_shared<SpeedOutline const>(speed);
}

}  // namespace gleaner::alloc
