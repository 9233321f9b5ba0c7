// SPDX-License-Identifier: Apache-2.0
/// Which waiting jobs a snapshot tells of.
#pragma once

#include <vector>

#include "core/cluster.hh"
#include "slurm/snapshot.hh"

namespace gleaner::slurm {

/// What nothing but resources keeps from starting, in the order in which Slurm
/// tries it: by the highest PriorityTier of its partitions, then by priority.
///
/// Jobs of one user that ask the same are alike: of them only so many are kept
/// as there are nodes in `nodes_open` (holes and shared ones), since no more
/// can start before the next look.  So thousands of like jobs do not crowd out
/// a small one behind them.  If more than `pending_max` are left, half of
/// these are the first, and half those that became eligible last.
std::vector<PendingJob> pending_jobs(std::vector<JobRecord const*> jobs,
                                     ClusterRecords const& records,
                                     SnapshotOptions const& options,
                                     std::size_t nodes_open);

/// What becomes eligible by the clock within `coming_s`, soonest first, at most
/// `pending_max`.
std::vector<PendingJob> coming_jobs(std::vector<JobRecord const*> jobs,
                                    SnapshotOptions const& options,
                                    TimeS now_s);

/// Backfill has said when and where it means to start the job.
bool has_plan(JobRecord const& job);

}  // namespace gleaner::slurm
