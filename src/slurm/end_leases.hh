// SPDX-License-Identifier: Apache-2.0
/// How are leases ended at once, many of them too?
///
/// SIGTERM first, on which an agent kills and reaps its members and leaves
/// within milliseconds.  What is still there 0.1 s later gets SIGKILL and the
/// end of the job, so that KillWait does not count.  (SIGKILL alone leaves
/// members to be buried by others, and slurmstepd looks again only after one,
/// two, four seconds: the node comes back that late.)  A lease without a step
/// has nothing to leave, and is ended at once.
///
/// All is asked of slurmctld, nothing of a slurmd, which might not answer.  A
/// request for each lease is most of what this costs.  So of many leases
/// slurmctld says in one answer which have steps, and in another one which have
/// not ended; and their requests go side by side.
#pragma once

#include <vector>

#include "core/cluster.hh"
#include "core/result.hh"

namespace gleaner {

/// Those over already are success.  Fails with denied without operator rights,
/// else with unavailable; all of them have been tried then, unless slurmctld
/// was not reached.
Result<void> end_leases(std::vector<JobId> const& jobs);

}  // namespace gleaner
