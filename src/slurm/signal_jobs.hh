// SPDX-License-Identifier: Apache-2.0
/// How are many jobs sent the same signal, in as few requests as Slurm allows?
#pragma once

#include <cstdint>
#include <vector>

#include "core/cluster.hh"
#include "core/result.hh"

namespace gleaner::slurm {

/// What slurmctld is asked to send, as slurm_kill_job() takes it.
struct JobSignal {
  std::uint16_t signal;
  std::uint16_t flags;
};

/// One request for a thousand jobs where Slurm has that (24.05 and later), one
/// for each job else.  Those over already are success.  Fails with denied
/// without operator rights, else with unavailable; all jobs have been tried
/// then, unless slurmctld was not reached.
Result<void> signal_jobs(std::vector<JobId> const& jobs, JobSignal what);

}  // namespace gleaner::slurm
