// SPDX-License-Identifier: Apache-2.0
/// Matching of waiting jobs with nodes, and for how long it counts.
#include "daemon/decisions/demand.hh"

#include <algorithm>

namespace gleaner::daemon {
namespace {

constexpr double unfit_s_max = 2;  ///< the end of a lease takes less

}  // namespace

bool Demand::holds(PendingJob const& job, Wait const& wait, TimeS now) const {
  bool const planned_later =
      wait.cycles > 0 && job.start_s && *job.start_s > now + hold_s_;
  return now < wait.since_s + hold_s_ && wait.cycles < 2 && !planned_later;
}

/// What is known of a task that can start: since when, and through how many
/// backfill cycles.
Demand::Wait Demand::known_wait(PendingJob const& job, int task,
                                Look const& look) {
  auto const [found, arrived] = waits_.try_emplace({job.job, task});
  auto& wait = found->second;
  if (arrived) {
    arrivals_.push_back(job);
    wait.since_s = look.now;
    wait.backfill_s = look.snapshot.backfill_s;
  } else if (look.snapshot.backfill_s > wait.backfill_s) {
    wait.backfill_s = look.snapshot.backfill_s;
    ++wait.cycles;
  }
  return wait;
}

/// False when it has no place, nor has any further task then.
bool Demand::look_at(PendingJob const& job, int task, Look* look) {
  auto const taken = look->supply.take(job);
  auto const known = waits_.find({job.job, task});
  bool const unfit = taken.empty();
  if (unfit && (known == waits_.end() ||
                look->now - known->second.fitted_s > unfit_s_max))
    return false;
  auto wait = known_wait(job, task, *look);
  if (!unfit) {
    wait.places = taken.places();
    wait.fitted_s = look->now;
  }
  if (holds(job, wait, look->now))
    for (auto const& name : wait.places) look->aside.emplace(name, job.job);
  else if (!unfit)
    look->supply.put_back(taken);
  look->waits[{job.job, task}] = std::move(wait);
  return true;
}

std::map<std::string, JobId> Demand::update(Snapshot const& snapshot,
                                            Places const& places,
                                            JobMemory memory, TimeS now) {
  nodes_.update(snapshot, places);
  Look look{snapshot, Supply(snapshot, nodes_, memory), {}, {}, now};
  arrivals_.clear();
  for (auto const& job : snapshot.pending)
    for (int task = job.tasks; task > 0; --task)
      if (!look_at(job, task, &look)) break;
  waits_ = std::move(look.waits);
  return std::move(look.aside);
}

TimeS Demand::next_s(TimeS now, TimeS fallback) const {
  for (auto const& [job, wait] : waits_)
    if (wait.since_s + hold_s_ > now)
      fallback = std::min(fallback, wait.since_s + hold_s_);
  return fallback;
}

}  // namespace gleaner::daemon
