// SPDX-License-Identifier: Apache-2.0
/// The part of sacct.hh that needs Slurm's sacct.
#include "cli/report/captured_command.hh"
#include "cli/report/sacct.hh"

namespace gleaner::cli {

Result<std::vector<RigidJob>> ask_sacct(SacctQuery const& query,
                                        std::string const& lease_partition,
                                        double limit_s) {
  auto const answer =
      captured_command(sacct_command(query), {"SLURM_TIME_FORMAT=%s"}, limit_s);
  if (!answer) return answer.error();
  return parse_sacct(*answer, lease_partition);
}

}  // namespace gleaner::cli
