// SPDX-License-Identifier: Apache-2.0
/// Which leases may end now, without costing a training anything?
///
/// The end of any lease makes slurmctld schedule at once, and preempt the
/// leases that a waiting job still needs: a loss without notice where members
/// still train.  So what is asked back for jobs that wait is released together:
///
/// - while a node asked back for such a job is not vacated, no vacated lease
///   ends, whatever it was asked back for;
/// - once all are vacated, or those that are not are past their deadlines, all
///   vacated leases end in one burst.
///
/// A function of the table of leases: no state of its own, so a restarted
/// gleanerd releases what the one before it gathered.
#pragma once

#include <string>
#include <vector>

#include "core/cluster.hh"
#include "daemon/decisions/lease_table.hh"

namespace gleaner::daemon {

/// Nonces of the vacated leases to be released now.
std::vector<std::string> releasable(LeaseTable const& leases, TimeS now);

}  // namespace gleaner::daemon
