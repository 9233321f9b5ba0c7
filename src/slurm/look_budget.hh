// SPDX-License-Identifier: Apache-2.0
/// How much time looking at the cluster may take.
///
/// An account of seconds: it grows by a share of the time that passes, up to
/// what a burst of looks may take, and each look is charged what it cost.  A
/// change that is certain is looked at while anything is left, also by looks
/// that overdraw the account; one that is only possible while half is left.
#pragma once

#include <algorithm>

namespace gleaner::slurm {

/// Has anything changed since the last look?
enum class Change {
  none,
  maybe,  ///< within this very second, which is the finest that Slurm says
  sure,
};

class LookBudget {
 public:
  /// `share_max`: looking takes no more of the time, on average over a time
  /// that is long compared with saved_s_max / share_max.
  explicit LookBudget(double share_max)
      : share_(share_max), left_s_(saved_s_max) {}

  /// What a look is charged that took `wall_s` and kept this thread busy for
  /// `cpu_s`: slurmctld works about as long for it as we do.  Time spent
  /// waiting for slurmctld's locks is no load, and is longest when it is
  /// busiest: charged in full it would delay looks when they matter most.
  static double cost_s(double wall_s, double cpu_s) {
    return std::min(wall_s, 2 * cpu_s);
  }

  /// Seconds from `now_s` until a look is allowed; 0: now.
  double wait_s(double now_s, Change change) const {
    double const needed_s = change == Change::sure ? 0 : saved_s_max / 2;
    double const wait_s = (needed_s - left_s(now_s)) / share_;
    return wait_s < rounding_s ? 0 : wait_s;
  }

  /// A look that ended at `now_s` cost this much.
  void spend(double now_s, double cost_s) {
    left_s_ = left_s(now_s) - cost_s;
    as_of_s_ = std::max(as_of_s_, now_s);
  }

 private:
  /// Five looks, as many as follow one event, at 0.1 s each: what 10,000 nodes
  /// take.
  static constexpr double saved_s_max = 0.5;
  /// A wait as short as this may not move the clock that is added to.
  static constexpr double rounding_s = 1e-6;

  double left_s(double now_s) const {
    if (as_of_s_ == 0) return left_s_;
    return std::min(saved_s_max,
                    left_s_ + share_ * std::max(0.0, now_s - as_of_s_));
  }

  double share_;
  double left_s_;
  double as_of_s_ = 0;  ///< 0: nothing was spent yet
};

}  // namespace gleaner::slurm
