// SPDX-License-Identifier: Apache-2.0
/// Ordering and thinning out of the queue.
#include "slurm/pending_jobs.hh"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "slurm/admin_comment.hh"

namespace gleaner::slurm {
namespace {

/// Not any more when it has been requeued: the begin time is Slurm's then.
bool is_on_notice(JobRecord const& job) {
  return job.admin_comment == notice_mark &&
         job.eligible_s <= job.submit_s + notice_s_most;
}

/// A job that shares its nodes with its own user's alone waits beside leases of
/// others for ever: Slurm preempts none for it.  Where leases are parts it
/// counts as one that wants its nodes whole, and gleanerd ends them.
PendingJob pending_of(JobRecord const& job, SnapshotOptions const& options) {
  PendingJob pending;
  pending.job = job.job;
  pending.tasks = job.tasks;
  pending.uid = job.uid;
  pending.partition = job.partition;
  pending.priority = job.priority;
  pending.nodes = std::max(1, job.nodes_min);
  pending.each = job.each;
  pending.gres = job.gres;
  pending.whole =
      job.whole || (job.own_user_only && options.parts_per_node_max > 0);
  pending.whole_memory = job.whole_memory;
  pending.constraint = job.constraint;
  pending.reservation = job.reservation;
  pending.required = job.required;
  pending.excluded = job.excluded;
  pending.eligible_s = job.eligible_s;
  pending.on_notice = is_on_notice(job);
  if (has_plan(job)) {
    pending.start_s = job.start_s;
    pending.planned = job.planned;
  }
  return pending;
}

/// All by which two waiting jobs may differ in where they can start.
auto shape_of(JobRecord const& job) {
  return std::tie(job.uid, job.partition, job.nodes_min, job.each.cpus,
                  job.each.memory_mb, job.each.gres, job.gres, job.whole,
                  job.own_user_only, job.whole_memory, job.constraint,
                  job.reservation, job.required, job.excluded);
}

struct ByShape {
  bool operator()(JobRecord const* a, JobRecord const* b) const {
    return shape_of(*a) < shape_of(*b);
  }
};

/// The order of Slurm's queue.
class Queue {
 public:
  explicit Queue(ClusterRecords const& records) {
    for (auto const& partition : records.partitions)
      tiers_[partition.name] = partition.tier;
  }

  void sort(std::vector<JobRecord const*>* jobs) const {
    std::vector<std::tuple<int, std::int64_t, JobId, JobRecord const*>> keyed;
    keyed.reserve(jobs->size());
    for (auto const* job : *jobs)
      keyed.emplace_back(-tier_of(job->partition), -std::int64_t{job->priority},
                         job->job, job);
    std::sort(keyed.begin(), keyed.end());
    std::transform(keyed.begin(), keyed.end(), jobs->begin(),
                   [](auto const& key) { return std::get<3>(key); });
  }

 private:
  int tier_of(std::string_view list) const {
    int tier = 0;
    while (!list.empty()) {
      auto const comma = std::min(list.find(','), list.size());
      if (auto const found = tiers_.find(list.substr(0, comma));
          found != tiers_.end())
        tier = std::max(tier, found->second);
      list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return tier;
  }

  std::unordered_map<std::string_view, int> tiers_;
};

/// How many tasks of each array run: --array=1-99%5 lets five.
std::unordered_map<JobId, int> running_tasks(ClusterRecords const& records) {
  std::unordered_map<JobId, int> running;
  for (auto const& job : records.jobs)
    if (job.array != 0 && job.state != JobRecord::State::pending &&
        job.state != JobRecord::State::over)
      ++running[job.array];
  return running;
}

int startable_tasks(JobRecord const& job,
                    std::unordered_map<JobId, int> const& running) {
  if (job.tasks_max == 0) return job.tasks;
  auto const found = running.find(job.array);
  int const left = job.tasks_max - (found == running.end() ? 0 : found->second);
  return std::min(job.tasks, left);
}

/// Of too many jobs the first half and the last to become eligible.
void shorten(std::vector<PendingJob>* jobs, std::size_t most) {
  if (jobs->size() <= most) return;
  std::vector<TimeS> late;
  auto const first = most / 2;
  for (auto i = first; i < jobs->size(); ++i)
    late.push_back((*jobs)[i].eligible_s);
  auto const nth = late.begin() + static_cast<std::ptrdiff_t>(most - first - 1);
  std::nth_element(late.begin(), nth, late.end(), std::greater<>());
  TimeS const since_s = *nth;
  std::size_t i = 0, kept = 0;
  std::erase_if(*jobs, [&](PendingJob const& job) {
    bool const keep = i++ < first || (job.eligible_s >= since_s && kept < most);
    if (keep) ++kept;
    return !keep;
  });
}

}  // namespace

bool has_plan(JobRecord const& job) {
  return job.state == JobRecord::State::pending && job.start_s > 0 &&
         !job.planned.empty();
}

std::vector<PendingJob> pending_jobs(std::vector<JobRecord const*> jobs,
                                     ClusterRecords const& records,
                                     SnapshotOptions const& options,
                                     std::size_t nodes_open) {
  Queue(records).sort(&jobs);
  auto const running = running_tasks(records);
  std::map<JobRecord const*, std::size_t, ByShape> kept;
  std::vector<PendingJob> result;
  for (auto const* job : jobs) {
    auto& alike = kept[job];
    if (alike >= std::max<std::size_t>(1, nodes_open)) continue;
    auto const tasks = std::min<std::size_t>(
        static_cast<std::size_t>(std::max(0, startable_tasks(*job, running))),
        std::max<std::size_t>(1, nodes_open) - alike);
    if (tasks == 0) continue;
    alike += tasks;
    result.push_back(pending_of(*job, options));
    result.back().tasks = static_cast<int>(tasks);
  }
  shorten(&result, options.pending_max);
  return result;
}

std::vector<PendingJob> coming_jobs(std::vector<JobRecord const*> jobs,
                                    SnapshotOptions const& options,
                                    TimeS now_s) {
  std::erase_if(jobs, [&](auto const* job) {
    return job->eligible_s > now_s + options.coming_s;
  });
  std::sort(jobs.begin(), jobs.end(), [](auto const* a, auto const* b) {
    return std::tie(a->eligible_s, a->job) < std::tie(b->eligible_s, b->job);
  });
  if (jobs.size() > options.pending_max) jobs.resize(options.pending_max);
  std::vector<PendingJob> result;
  for (auto const* job : jobs) {
    result.push_back(pending_of(*job, options));
    if (job->tasks_max > 0)
      result.back().tasks = std::min(job->tasks, job->tasks_max);
  }
  return result;
}

}  // namespace gleaner::slurm
