// SPDX-License-Identifier: Apache-2.0
/// When to look at the cluster.
///
/// At once when woken, and a few times more soon after: a hook tells of a job
/// before slurmctld has queued it, and of an end before the node is idle.
/// Else once an interval.  But never so often that looking takes more than a
/// fifth of the time, because slurmctld answers under locks that scheduling
/// needs too.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace gleaner {

class ScanPacer {
 public:
  /// Seconds; `gap_s_min` is the least pause between two looks.
  ScanPacer(double interval_s, double gap_s_min)
      : interval_s_(interval_s), gap_s_min_(gap_s_min) {}

  /// Something has happened at `now_s`.
  void wake(double now_s) {
    woken_at_s_ = now_s;
    next_delay_ = 0;
  }

  /// Seconds until the next look is due; 0: now.
  double wait_s(double now_s) const {
    double due_s = ended_s_ + interval_s_;
    if (next_delay_ < delays_s.size())
      due_s = std::min(due_s, woken_at_s_ + delays_s[next_delay_]);
    return std::max(0.0, std::max(due_s, not_before_s_) - now_s);
  }

  /// A look took from `begin_s` to `end_s`.
  void looked(double begin_s, double end_s) {
    while (next_delay_ < delays_s.size() &&
           woken_at_s_ + delays_s[next_delay_] <= begin_s)
      ++next_delay_;
    ended_s_ = end_s;
    not_before_s_ = end_s + std::max(gap_s_min_, 4 * (end_s - begin_s));
  }

 private:
  /// How long after being woken to look.
  static constexpr std::array<double, 5> delays_s = {0, 0.02, 0.06, 0.2, 0.5};

  double interval_s_;
  double gap_s_min_;
  double woken_at_s_ = 0;
  std::size_t next_delay_ = 0;  ///< index into delays_s
  double ended_s_ = 0;
  double not_before_s_ = 0;
};

}  // namespace gleaner
