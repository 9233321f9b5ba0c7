// SPDX-License-Identifier: Apache-2.0
/// When does the scavenger look at the cluster?
///
/// At once when woken, and a few times more soon after: a hook reports a job
/// before slurmctld has queued it, and an end before the node is idle.
/// Otherwise once an interval.  Looks keep a distance and stay within a budget
/// (look_budget.hh), because slurmctld answers under locks that scheduling
/// needs, too.
///
/// While no training job waits or runs there is nothing to lend to and nothing
/// to take back, so there are two looks a minute, whatever rigid jobs do.  That
/// is enough to say how much could have been lent.  Even spacing makes the
/// figure fair; looks at the ends of jobs would not.  The first training job is
/// seen at once: job_submit and gleanerd report it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "slurm/look_budget.hh"

namespace gleaner::slurm {

class ScanPacer {
 public:
  struct Limits {
    double interval_s = 1;
    double gap_s_min = 0.02;  ///< least pause between two looks
    double share_max = 0.03;  ///< of the time, for looks
  };
  explicit ScanPacer(Limits limits)
      : limits_(limits), budget_(limits.share_max) {}

  enum class Cause {
    rigid_job,  ///< one came or went
    training,   ///< one came, or gleanerd asks
  };

  /// Something has happened at `now_s`.
  void wake(double now_s, Cause cause = Cause::training) {
    if (!in_use_ && cause == Cause::rigid_job) return;
    woken_at_s_ = now_s;
    next_delay_ = 0;
  }

  /// By the last look: is there a training (Snapshot::is_in_use())?
  void set_in_use(bool in_use) { in_use_ = in_use; }

  /// Seconds until it is time to see whether anything has changed; 0: now.
  double wait_s(double now_s) const {
    double due_s = ended_s_ + interval_s();
    if (next_delay_ < delays_s.size())
      due_s = std::min(due_s, woken_at_s_ + delays_s[next_delay_]);
    return std::max(0.0, std::max(due_s, not_before_s_) - now_s);
  }

  /// It was time, and this much has changed: may it be looked at?  If not, it
  /// will be time again soon, or when the budget allows it.
  bool may_look(double now_s, Change change) {
    if (change == Change::none) {
      skip(now_s);
      return false;
    }
    double const wait_s = budget_.wait_s(now_s, change);
    if (wait_s > 0) not_before_s_ = now_s + std::min(wait_s, recheck_s_max);
    return wait_s == 0;
  }

  /// It was time, and there was no look.
  void skip(double now_s) {
    while (next_delay_ < delays_s.size() &&
           woken_at_s_ + delays_s[next_delay_] <= now_s)
      ++next_delay_;
    ended_s_ = now_s;
    not_before_s_ = now_s + limits_.gap_s_min;
  }

  /// A look took from `begin_s` to `end_s` and kept this thread busy for
  /// `cpu_s`.
  void looked(double begin_s, double end_s, double cpu_s) {
    skip(begin_s);
    ended_s_ = end_s;
    double const cost_s = LookBudget::cost_s(end_s - begin_s, cpu_s);
    budget_.spend(end_s, cost_s);
    not_before_s_ = end_s + std::max(limits_.gap_s_min, 4 * cost_s);
  }

 private:
  double interval_s() const {
    return in_use_ ? limits_.interval_s
                   : std::max(limits_.interval_s, unused_interval_s);
  }

  static constexpr double unused_interval_s = 30;
  /// How long after being woken to look.
  static constexpr std::array<double, 5> delays_s = {0, 0.02, 0.06, 0.2, 0.5};
  static constexpr double recheck_s_max = 0.1;  ///< possible may become certain

  Limits limits_;
  LookBudget budget_;
  bool in_use_ = true;
  double woken_at_s_ = 0;
  std::size_t next_delay_ = 0;  ///< index into delays_s
  double ended_s_ = 0;
  double not_before_s_ = 0;
};

}  // namespace gleaner::slurm
