// SPDX-License-Identifier: Apache-2.0
/// Letting jobs take their nodes before their time, on paper.
#include "daemon/decisions/coming_uses.hh"

#include <algorithm>
#include <set>
#include <vector>

namespace gleaner::daemon {

std::map<std::string, ComingUse> coming_uses(
    Snapshot const& snapshot, Places const& places,
    std::map<std::string, JobId> const& aside, JobMemory memory, TimeS since_s,
    TimeS until_s) {
  std::map<std::string, ComingUse> uses;
  std::vector<PendingJob const*> coming;
  std::set<JobId> known;
  for (auto const& job : snapshot.coming) {
    if (job.eligible_s < since_s || job.eligible_s > until_s) continue;
    coming.push_back(&job);
    known.insert(job.job);
  }
  if (coming.empty()) return uses;
  // What was foretold of these jobs before is foretold again.
  auto const is_planned = [&](Hole const& hole) {
    return hole.end_s && *hole.end_s <= until_s &&
           !known.count(hole.planned_job);
  };
  std::set<std::string> withheld;
  for (auto const& [name, place] : places)
    if (aside.count(name) || is_planned(place.hole)) withheld.insert(name);
  SupplyNodes nodes;
  nodes.update(snapshot, places, withheld);
  Supply supply(snapshot, nodes, memory);
  // More tasks than nodes use no further node.
  auto const tasks_max =
      static_cast<int>(places.size() + snapshot.shared.size());
  for (auto const* job : coming)
    for (int task = 0; task < std::min(job->tasks, tasks_max); ++task) {
      auto const taken = supply.take(*job);
      if (taken.empty()) break;
      for (auto const& name : taken.places())
        uses.try_emplace(name,
                         ComingUse{job->eligible_s, job->job, job->on_notice});
    }
  return uses;
}

}  // namespace gleaner::daemon
