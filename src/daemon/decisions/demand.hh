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
#include <utility>
#include <vector>

#include "core/cluster.hh"
#include "daemon/decisions/places.hh"
#include "daemon/decisions/supply.hh"
#include "daemon/decisions/supply_nodes.hh"

namespace gleaner::daemon {

class Demand {
 public:
  explicit Demand(double hold_s) : hold_s_(hold_s) {}
  void set_hold(double seconds) { hold_s_ = seconds; }

  /// The places to be kept free now, each with the first job it is for.  Jobs
  /// are served in the order in which Slurm tries them.
  std::map<std::string, JobId> update(Snapshot const& snapshot,
                                      Places const& places, JobMemory memory,
                                      TimeS now);

  /// Jobs that the last update() saw for the first time as able to start; one
  /// of them again for each task of an array.
  std::vector<PendingJob> const& arrivals() const { return arrivals_; }

  /// When a hold runs out next; `fallback` if none does before.
  TimeS next_s(TimeS now, TimeS fallback) const;

 private:
  /// A task of a job: those of an array count down, so that the tasks left have
  /// the numbers they had when others have begun.
  using TaskId = std::pair<JobId, int>;

  /// A task that could start since `since_s`.
  struct Wait {
    TimeS since_s = 0;
    TimeS backfill_s = 0;             ///< end of the latest cycle known
    int cycles = 0;                   ///< that ended since
    std::vector<std::string> places;  ///< it was to have
    TimeS fitted_s = 0;               ///< when it last could start
  };
  using Waits = std::map<TaskId, Wait>;

  /// One look at all tasks.
  struct Look {
    Snapshot const& snapshot;
    Supply supply;
    Waits waits;
    std::map<std::string, JobId> aside;
    TimeS now;
  };
  bool look_at(PendingJob const& job, int task, Look* look);
  Wait known_wait(PendingJob const& job, int task, Look const& look);
  bool holds(PendingJob const& job, Wait const& wait, TimeS now) const;

  double hold_s_;
  SupplyNodes nodes_;  ///< as of the last update()
  Waits waits_;
  std::vector<PendingJob> arrivals_;
};

}  // namespace gleaner::daemon
