// SPDX-License-Identifier: Apache-2.0
/// When the scavenger looks at the cluster.
///
/// At once when woken, else every scan_interval_ms; but never so often that
/// looking takes more than a fifth of the time, because slurmctld answers it
/// under locks that scheduling needs too.
#pragma once

#include <algorithm>

namespace gleaner {

class ScanPacer {
 public:
  /// Seconds; `gap_s_min` is the least pause between two looks.
  ScanPacer(double interval_s, double gap_s_min)
      : interval_s_(interval_s), gap_s_min_(gap_s_min) {}

  /// Look as soon as the pause allows.
  void wake() { woken_ = true; }

  /// Seconds until the next look is due; 0: now.
  double wait_s(double now_s) const {
    auto const due_s = woken_ ? 0.0 : ended_s_ + interval_s_;
    return std::max(0.0, std::max(due_s, not_before_s_) - now_s);
  }

  /// A look took from `begin_s` to `end_s`.
  void looked(double begin_s, double end_s) {
    woken_ = false;
    ended_s_ = end_s;
    not_before_s_ = end_s + std::max(gap_s_min_, 4 * (end_s - begin_s));
  }

 private:
  double interval_s_;
  double gap_s_min_;
  bool woken_ = true;
  double ended_s_ = 0;
  double not_before_s_ = 0;
};

}  // namespace gleaner
