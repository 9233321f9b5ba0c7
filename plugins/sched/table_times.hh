// SPDX-License-Identifier: Apache-2.0
/// When slurmctld's tables changed last, read in slurmctld itself.
#pragma once

#include "slurm/known_table.hh"

namespace gleaner::sched {

/// Reads slurmctld's own variables, as its backfill does.  Empty in a process
/// that does not have all of them.
slurm::ReadTableTimes table_times_of_slurmctld();

}  // namespace gleaner::sched
