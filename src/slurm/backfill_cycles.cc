// SPDX-License-Identifier: Apache-2.0
/// Asking for slurmctld's statistics.
#include "slurm/backfill_cycles.hh"

#include <cerrno>
#include <string>

#include "slurm/compat.hh"

namespace gleaner::slurm {

Result<std::uint32_t> backfill_cycles() {
  stats_info_request_msg_t request{};
  request.command_id = STAT_COMMAND_GET;
  stats_info_response_msg_t* stats = nullptr;
  errno = 0;
  if (slurm_get_statistics(&stats, &request) != SLURM_SUCCESS || !stats)
    return Error{Errc::unavailable, std::string("cannot load statistics (") +
                                        slurm_strerror(errno) + ")"};
  auto const cycles = stats->bf_cycle_counter;
  slurm_free_stats_response_msg(stats);
  return cycles;
}

}  // namespace gleaner::slurm
