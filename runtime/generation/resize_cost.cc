// SPDX-License-Identifier: Apache-2.0
/// How long did the training stand still for a resize?
#include "runtime/generation/resize_cost.hh"

#include <algorithm>
#include <utility>
#include <vector>

namespace gleaner::generation {
namespace {

// The switch delays the step before it (its end is the boundary) or one of the
// first in the new generation.
constexpr msg::Step steps_after = 2;
constexpr std::size_t steps_kept = 64;

}  // namespace

void ResizeCost::step(msg::Step step, double duration_s) {
  recent_.push_back({step, duration_s});
  if (recent_.size() > steps_kept) recent_.pop_front();
}

double ResizeCost::stall_s(msg::Step first) const {
  std::vector<double> before;
  double longest = 0;
  for (auto const& [step, duration_s] : recent_) {
    if (duration_s <= 0) continue;
    if (step < first - 1)
      before.push_back(duration_s);
    else if (step <= first + steps_after)
      longest = std::max(longest, duration_s);
  }
  if (before.empty()) return 0;
  auto const middle = before.begin() + before.size() / 2;
  std::nth_element(before.begin(), middle, before.end());
  return std::max(0.0, longest - *middle);
}

std::optional<Resize> ResizeCost::take_measured() {
  if (!open_ || recent_.empty() ||
      recent_.back().step < open_->first + steps_after)
    return std::nullopt;
  return take_unfinished();
}

std::optional<Resize> ResizeCost::take_unfinished() {
  if (!open_) return std::nullopt;
  auto resize = *std::exchange(open_, std::nullopt);
  resize.stall_s = stall_s(resize.first);
  return resize;
}

}  // namespace gleaner::generation
