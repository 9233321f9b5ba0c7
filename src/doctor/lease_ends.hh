// SPDX-License-Identifier: Apache-2.0
/// How long after a lease's end is its node free: how long do epilogs take?
///
/// Slurm does not report the time of its Epilog.  gleanerd measures it, from
/// the look in which a lease completes to the one in which it is gone, and
/// writes it to the journal (`completing_s`).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.hh"
#include "slurm/control.hh"

namespace gleaner::doctor {

/// Of the last leases that ended by themselves.  Of those that Slurm or
/// gleanerd ended, part of the time is that of ending processes.
struct LeaseEnds {
  std::vector<double> completing_s;

  /// None without any.
  std::optional<double> median_s() const;
};

/// Read the last `leases_max` of them from STATE_DIR/journal.sqlite.  Fails
/// with io when it is not there or may not be read.
Result<LeaseEnds> read_lease_ends(std::string const& journal, int leases_max);

/// What is said of Epilog, with the time it takes; a finding of its own where
/// nodes are free late although there is no Epilog.
void judge_lease_ends(Result<LeaseEnds> const& ends, Config const& config,
                      slurm::SlurmSetup* setup);

}  // namespace gleaner::doctor
