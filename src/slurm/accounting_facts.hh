// SPDX-License-Identifier: Apache-2.0
/// Which QOS and associations slurmctld knows.
#pragma once

#include <optional>
#include <string>

#include "slurm/setup.hh"

namespace gleaner::slurm {

/// From slurmctld's own copy, so that slurmdbd need not answer.  None when it
/// cannot be had.  `account` is the one to look for.
std::optional<AccountingFacts> read_accounting(std::string const& account);

}  // namespace gleaner::slurm
