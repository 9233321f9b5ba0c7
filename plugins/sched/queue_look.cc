// SPDX-License-Identifier: Apache-2.0
/// slurmctld's schedule().
#include "plugins/sched/queue_look.hh"

#include <dlfcn.h>

namespace gleaner::sched {
namespace {

/// src/slurmctld/job_scheduler.c, 22.05 to 26.05: takes a mutex of its own for
/// a moment, and signals.  Not the full queue, but the default depth.
using Schedule = void (*)(bool full_queue);

/// By name at run time: a release without it can still be used.
Schedule schedule_of_slurmctld() {
  static auto const found =
      reinterpret_cast<Schedule>(dlsym(RTLD_DEFAULT, "schedule"));
  return found;
}

}  // namespace

bool can_look_at_queue() { return schedule_of_slurmctld() != nullptr; }

void look_at_queue() {
  if (auto const schedule = schedule_of_slurmctld()) schedule(false);
}

}  // namespace gleaner::sched
