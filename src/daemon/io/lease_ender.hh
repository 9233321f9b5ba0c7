// SPDX-License-Identifier: Apache-2.0
/// Asks Slurm to end leases: those of one decision together, each once at a
/// time.
///
/// A slurmctld that is busy answers after many seconds, and the brain asks
/// again before that.  It gets no second request for a lease while the first
/// waits.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "core/cluster.hh"
#include "core/result.hh"
#include "daemon/io/slurm_worker.hh"
#include "slurm/control.hh"

namespace gleaner::daemon {

class LeaseEnder {
 public:
  /// Slurm has answered for so many leases.
  using Answered = std::function<void(std::size_t, Result<void> const&)>;

  LeaseEnder(SlurmWorker& worker, std::shared_ptr<slurm::SlurmControl> control,
             Answered answered)
      : worker_(worker),
        control_(std::move(control)),
        answered_(std::move(answered)) {}

  /// This one, with the next flush(); no-op while Slurm is being asked.
  void add(JobId lease);

  /// Ask for all that were added.  What does not fit the worker's queue is
  /// dropped: the brain asks again.
  void flush();

 private:
  SlurmWorker& worker_;
  std::shared_ptr<slurm::SlurmControl> control_;
  Answered answered_;
  std::vector<JobId> added_;
  std::set<JobId> asked_;  ///< Slurm has not answered yet
};

}  // namespace gleaner::daemon
