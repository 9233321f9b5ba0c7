// SPDX-License-Identifier: Apache-2.0
/// Remembering plans across the begin of a backfill cycle.
#include "slurm/plan_memory.hh"

#include <utility>

namespace gleaner::slurm {

void PlanMemory::restore(ClusterRecords* records) {
  std::unordered_map<JobId, Plan> kept;
  for (auto& job : records->jobs) {
    if (job.state != JobRecord::State::pending || !job.eligible) continue;
    if (!job.planned.empty() && job.start_s > 0) {
      kept[job.job] = {job.planned, job.start_s, 0};
      continue;
    }
    auto const known = plans_.find(job.job);
    if (known == plans_.end()) continue;
    Plan plan = std::move(known->second);
    if (plan.lost_in_cycle_s == 0) plan.lost_in_cycle_s = records->backfill_s;
    // The next cycle has begun, so the one that dropped the plan is over.
    if (records->backfill_s > plan.lost_in_cycle_s) continue;
    job.planned = plan.nodes;
    job.start_s = plan.start_s;
    kept[job.job] = std::move(plan);
  }
  plans_ = std::move(kept);
}

}  // namespace gleaner::slurm
