// SPDX-License-Identifier: Apache-2.0
#include "runtime/generation/stuck.hh"

#include <algorithm>

namespace gleaner::generation {

void StepMedian::add(double duration_s) {
  recent_.push_back(duration_s);
  if (recent_.size() > kept) recent_.pop_front();
}

double StepMedian::seconds() const {
  if (recent_.empty()) return 0;
  std::vector<double> sorted(recent_.begin(), recent_.end());
  auto const middle = sorted.begin() + std::ptrdiff_t(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

std::vector<msg::MemberId> stuck_members(std::vector<Sighting> const& sightings,
                                         StuckRule const& rule,
                                         double median_step_s) {
  auto const limit_s = std::max(rule.timeout_s, rule.factor * median_step_s);
  bool somebody_waits = false;
  std::vector<msg::MemberId> stuck;
  for (auto const& [member, alive] : sightings) {
    if (alive.at == "reduction") {
      if (alive.for_s <= limit_s) return {};
      somebody_waits = true;
    } else if (alive.at == "program") {
      auto const patience =
          alive.steps < rule.first_steps ? rule.first_steps_factor : 1;
      if (alive.busy_left_s > 0 || alive.for_s <= patience * limit_s) return {};
      stuck.push_back(member);
    }
  }
  return somebody_waits ? stuck : std::vector<msg::MemberId>{};
}

bool is_plane_stuck(std::vector<Sighting> const& sightings,
                    StuckRule const& rule, double median_step_s) {
  auto const limit_s = std::max(rule.timeout_s, rule.factor * median_step_s);
  for (auto const& [member, alive] : sightings) {
    auto const patience =
        alive.steps < rule.first_steps ? rule.first_steps_factor : 1;
    if (alive.at != "reduction" || alive.for_s <= patience * limit_s)
      return false;
  }
  return sightings.size() > 1;
}

}  // namespace gleaner::generation
