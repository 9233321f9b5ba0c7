// SPDX-License-Identifier: Apache-2.0
/// Is it worth to let joiners follow, rather than copy the state at the switch?
#pragma once

#include <cstdint>
#include <string>

namespace gleaner::generation {

/// What is known when a change is prepared.
struct FollowForecast {
  std::uint64_t state_bytes = 0;
  std::uint64_t gradient_bytes = 0;  ///< of a step's reduction
  std::uint32_t joiners = 1;
  double step_s = 0;             ///< median; 0: not known yet
  double update_s = 0;           ///< on a member
  double bytes_per_s = 0;        ///< what a joiner receives
  double backlog_bytes_max = 0;  ///< that may wait while the state is sent

  /// The training stands still for so long when the state is copied.
  double copy_s() const { return double(state_bytes) / bytes_per_s; }
  /// That following a step takes: every joiner is sent its reduction.
  double step_behind_s() const {
    return double(gradient_bytes) * joiners / bytes_per_s + update_s;
  }
  /// Reductions of the steps made while the state is sent.
  double backlog_bytes() const {
    return copy_s() / step_s * double(gradient_bytes);
  }
};

/// Why the state should be copied; "": follow.
inline std::string reason_to_copy(FollowForecast const& forecast) {
  constexpr double copy_s_min = .05;  // less is not worth the effort
  if (forecast.step_s <= 0) return "no step was measured yet";
  if (forecast.copy_s() <= copy_s_min) return "the state is copied in a moment";
  if (forecast.step_behind_s() >= forecast.step_s / 2)
    return "to follow a step would take more than half a step";
  if (forecast.backlog_bytes() > forecast.backlog_bytes_max)
    return "too many reductions would wait while the state is sent";
  return "";
}

}  // namespace gleaner::generation
