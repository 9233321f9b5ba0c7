// SPDX-License-Identifier: Apache-2.0
/// How much of the time looking has taken.
#pragma once

#include <algorithm>

#include "core/log.hh"

namespace gleaner::sched {

class LookCount {
 public:
  /// Count from now on.
  void begin(double now_s) { *this = LookCount(now_s); }
  void add(double wall_s, double cost_s) {
    ++looks_;
    wall_s_ += wall_s;
    cost_s_ += cost_s;
  }

  /// The line with what was counted until `now_s`.
  LogLine add_to(LogLine line, double now_s) const {
    double const all_s = std::max(now_s - begun_s_, 1e-3);
    return line.kv("looks", looks_)
        .kv("for_s", all_s)
        .kv("share", cost_s_ / all_s)
        .kv("share_wall", wall_s_ / all_s);
  }

  explicit LookCount(double now_s = 0) : begun_s_(now_s) {}

 private:
  double begun_s_;
  double wall_s_ = 0;
  double cost_s_ = 0;  ///< as LookBudget charges them
  int looks_ = 0;
};

}  // namespace gleaner::sched
