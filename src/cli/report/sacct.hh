// SPDX-License-Identifier: Apache-2.0
/// The rigid jobs, as Slurm's accounting tells of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/report/history.hh"
#include "core/result.hh"

namespace gleaner::cli {

/// What to ask sacct for: jobs that touched any of these nodes in this time.
struct SacctQuery {
  double from_s = 0;  ///< 0: since the epoch
  double to_s = 0;    ///< 0: now
  NodeSet nodes;      ///< empty: all
};

/// The command that asks, a word an element.  Times come as seconds since the
/// epoch when it runs with SLURM_TIME_FORMAT=%s in its environment.
std::vector<std::string> sacct_command(SacctQuery const& query);

/// Read what that command printed: a job a line, in order of submission.  Jobs
/// of the lease partition are ours and left out, as are those that never had a
/// node.  Fails with invalid_argument, naming the line, for what cannot be
/// read.
Result<std::vector<RigidJob>> parse_sacct(std::string_view text,
                                          std::string const& lease_partition);

/// Ask the sacct of this machine and read its answer.  Bounded by `limit_s`.
/// Fails with unavailable, quoting what sacct said, where there is no
/// accounting.
Result<std::vector<RigidJob>> ask_sacct(SacctQuery const& query,
                                        std::string const& lease_partition,
                                        double limit_s);

}  // namespace gleaner::cli
