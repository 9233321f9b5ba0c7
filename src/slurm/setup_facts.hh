// SPDX-License-Identifier: Apache-2.0
/// Asking slurmctld, and this machine, for what setup.hh judges.
#pragma once

#include "core/config.hh"
#include "core/result.hh"
#include "slurm/setup.hh"

namespace gleaner::slurm {

/// A few RPCs.  What cannot be learned, or only by an operator, is left out:
/// its rules then say nothing.  Fails with unavailable when slurmctld does not
/// tell its configuration or its partitions.
Result<SlurmConfFacts> read_setup_facts(Config const& config);

}  // namespace gleaner::slurm
