// SPDX-License-Identifier: Apache-2.0
/// How are leases ended at once, many of them too?
///
/// SIGTERM comes first: an agent then kills and reaps its members and exits
/// within milliseconds.  A job that still runs 0.1 s later gets SIGKILL and is
/// ended, so that KillWait does not count.  (SIGKILL alone leaves members for
/// others to reap, and slurmstepd looks again only after one, two, four
/// seconds: the node comes back that late.)  A lease without a step has nothing
/// to leave, and is ended at once.
///
/// All requests go to slurmctld, none to a slurmd, which might not answer.  A
/// request for each lease is most of the cost.  So for many leases slurmctld
/// says in one answer which have steps, and in another which have not ended;
/// the requests for single leases are sent side by side.
#pragma once

#include <vector>

#include "core/cluster.hh"
#include "core/result.hh"

namespace gleaner::slurm {

/// Those over already are success.  Fails with denied without operator rights,
/// else with unavailable; all of them have been tried then, unless slurmctld
/// was not reached.
Result<void> end_leases(std::vector<JobId> const& jobs);

}  // namespace gleaner::slurm
