// SPDX-License-Identifier: Apache-2.0
/// Which nodes the waiting rigid jobs can use now, leases returned.
///
/// Slurm starts a job over leases at once if it comes to it while scheduling,
/// but a job that backfill starts loses a whole cycle to the preemption.  So
/// the nodes of a job that has just become able to start are given back on its
/// arrival and kept free, until it has started, backfill has planned it for
/// later, backfill has passed it over twice, or `hold_s` is over.
///
/// A node on which a lease ends is no place for a moment; a job that can no
/// longer start for that reason keeps its nodes.
///
/// A job that could not start even with all leases returned asks for nothing:
/// its planned start will.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/cluster.hh"

namespace gleaner {

/// A node that could serve rigid jobs: idle, or lent.
struct Place {
  Hole hole;
  TimeS since_s = 0;          ///< when it became one, lent or not
  bool lent = false;          ///< a trainer uses it, or is about to
  JobId lease = 0;            ///< that is on it
  TimeS missing_since_s = 0;  ///< lent, but no hole any more; 0: it is one
};
using Places = std::map<std::string, Place>;

class Demand {
 public:
  explicit Demand(double hold_s) : hold_s_(hold_s) {}
  void set_hold(double seconds) { hold_s_ = seconds; }

  /// The nodes to be kept free now, each with the job it is for.  Jobs are
  /// served by priority; each gets the nodes Slurm would choose: low Weight
  /// first, then those that are free already, the idle before those that other
  /// jobs use in part; of the lent ones those with the oldest leases, which
  /// Slurm would preempt first.
  std::map<std::string, JobId> update(Snapshot const& snapshot,
                                      Places const& places, TimeS now);

  /// Jobs that the last update() saw for the first time as able to start.
  std::vector<PendingJob> const& arrivals() const { return arrivals_; }

  /// When a hold runs out next; `fallback` if none does before.
  TimeS next_s(TimeS now, TimeS fallback) const;

 private:
  /// A job that could start since `since_s`.
  struct Wait {
    TimeS since_s = 0;
    TimeS backfill_s = 0;            ///< end of the latest cycle known
    int cycles = 0;                  ///< that ended since
    std::vector<std::string> nodes;  ///< it was to have
    TimeS fitted_s = 0;              ///< when it last could start
  };
  Wait known_wait(PendingJob const& job, Snapshot const& snapshot, TimeS now);
  bool holds(PendingJob const& job, Wait const& wait, TimeS now) const;

  double hold_s_;
  std::map<JobId, Wait> waits_;
  std::vector<PendingJob> arrivals_;
};

}  // namespace gleaner
