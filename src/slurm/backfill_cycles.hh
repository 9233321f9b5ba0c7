// SPDX-License-Identifier: Apache-2.0
/// How many cycles backfill has ended since slurmctld began to count.
#pragma once

#include <cstdint>

#include "core/result.hh"

namespace gleaner::slurm {

/// Asks what sdiag asks, which takes none of the locks of jobs and nodes.  The
/// count begins again at midnight.  Fails with unavailable, quoting Slurm.
Result<std::uint32_t> backfill_cycles();

}  // namespace gleaner::slurm
