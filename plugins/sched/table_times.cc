// SPDX-License-Identifier: Apache-2.0
/// slurmctld's last_*_update.
#include "plugins/sched/table_times.hh"

#include <dlfcn.h>

namespace gleaner::sched {
namespace {

/// By name at run time: a release without one of them can still be used.
time_t const* variable(char const* name) {
  return static_cast<time_t const*>(dlsym(RTLD_DEFAULT, name));
}

/// Written under locks that are not ours to take.  It is one word; a value that
/// is late is seen at the next look.
time_t read(time_t const* variable) {
  return __atomic_load_n(variable, __ATOMIC_RELAXED);
}

}  // namespace

slurm::ReadTableTimes table_times_of_slurmctld() {
  auto const* nodes = variable("last_node_update");
  auto const* jobs = variable("last_job_update");
  auto const* partitions = variable("last_part_update");
  auto const* reservations = variable("last_resv_update");
  if (!nodes || !jobs || !partitions || !reservations) return {};
  return [=] {
    return slurm::TableTimes{read(nodes), read(jobs), read(partitions),
                             read(reservations)};
  };
}

}  // namespace gleaner::sched
