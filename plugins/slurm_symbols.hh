// SPDX-License-Identifier: Apache-2.0
/// What the plugins use of Slurm beyond its public headers.
///
/// slurmctld and slurmd, or the libslurmfull they load, export these functions;
/// no public header declares them, so a release may change or drop them.  They
/// have the names that Slurm's own plugins use (src/common/slurm_xlator.h).
///
///     symbol                       used by              declared in Slurm's
///     slurm_info, slurm_error      all in slurmctld     common/log.h
///     slurm_xstrdup, slurm_xfree   job_submit           common/xstring.h,
///                                                       common/xmalloc.h
///     slurm_conf                   job_submit           common/read_config.h
///     slurm_free_stats_            sched (compat.hh)    common/
///       response_msg slurm_protocol_defs.h
///     last_job_update,             sched, by dlsym; it  slurmctld/slurmctld.h
///       last_node_update,            asks by RPC where
///       last_part_update,            one is missing
///       last_resv_update
///     schedule                     sched, by dlsym;     slurmctld/
///                                  without it jobs wait   job_scheduler.h
///                                  for the next turn
///     slurm_running_in_slurmctld   prep, before 25.05   common/run_in_daemon.h
///     slurm_run_in_daemon          prep, from 25.05 on  common/run_in_daemon.h
///     init, fini,                  sched, by dlsym in   plugins/sched/backfill
///     sched_p_reconfig             stock backfill
///
/// Compared with the sources of 22.05, 23.02, 23.11, 24.05, 24.11, 25.05, 25.11
/// and 26.05; doc/platforms.md says in which of them the plugins were run. That
/// the daemons at hand have them is tested (slurm/symbols.hh), and asked by
/// `gleaner doctor`.
#pragma once

#include <slurm/slurm.h>
#include <slurm/slurm_version.h>

#include <cstdint>

extern "C" {
void slurm_info(char const* format, ...) __attribute__((format(printf, 1, 2)));
void slurm_error(char const* format, ...) __attribute__((format(printf, 1, 2)));

/// Memory of Slurm's own allocator, of which a job_desc_msg_t's texts must be.
/// No memory ends the process; freeing sets the pointer to NULL.
char* slurm_xstrdup(char const* text);
void slurm_xfree(void** pointer);

/// The daemon's slurm.conf.  To be read while the plugin is loaded, not later:
/// its lock is not ours to take.
extern slurm_conf_t slurm_conf;

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 5, 0)
bool slurm_run_in_daemon(std::uint32_t daemons);
#else
bool slurm_running_in_slurmctld(void);
#endif
}

namespace gleaner::plugins {

/// slurmctld and slurmd both load prep plugins: which of them is this?
inline bool in_slurmctld() {
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 5, 0)
  constexpr std::uint32_t is_slurmctld = 1u << 3;  // IS_SLURMCTLD
  return slurm_run_in_daemon(is_slurmctld);
#else
  return slurm_running_in_slurmctld();
#endif
}

}  // namespace gleaner::plugins
