// SPDX-License-Identifier: Apache-2.0
/// From Slurm's records to a Snapshot.
#include "slurm/snapshot.hh"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "slurm/admin_comment.hh"

namespace gleaner {
namespace {

using State = JobRecord::State;

/// For how long a lease that Slurm preempted is news.
constexpr double preempted_s_max = 30;

/// The next use of a node that Slurm has planned.
struct PlannedUse {
  TimeS start_s = 0;
  JobId job = 0;  ///< 0: a reservation
};

using PlannedUses = std::unordered_map<std::string, PlannedUse>;

void plan(PlannedUses* uses, std::vector<std::string> const& nodes,
          TimeS start_s, JobId job) {
  for (auto const& node : nodes) {
    auto const [at, is_new] = uses->try_emplace(node, PlannedUse{start_s, job});
    if (!is_new && start_s < at->second.start_s) at->second = {start_s, job};
  }
}

bool has_plan(JobRecord const& job) {
  return job.state == State::pending && job.start_s > 0 && !job.planned.empty();
}

PlannedUses planned_uses(ClusterRecords const& records,
                         SnapshotOptions const& options) {
  PlannedUses uses;
  for (auto const& job : records.jobs)
    if (has_plan(job) && job.partition != options.lease_partition)
      plan(&uses, job.planned, job.start_s, job.job);
  for (auto const& reservation : records.reservations)
    if (reservation.name != options.reservation)
      plan(&uses, reservation.nodes, reservation.start_s, 0);
  return uses;
}

std::vector<std::string> const* nodes_of(ClusterRecords const& records,
                                         std::string_view partition) {
  for (auto const& candidate : records.partitions)
    if (candidate.name == partition) return &candidate.nodes;
  return nullptr;
}

/// The nodes of any partition of a list such as "main,long".
NodeSet nodes_of_any(ClusterRecords const& records, std::string_view list) {
  NodeSet nodes;
  while (!list.empty()) {
    auto const comma = std::min(list.find(','), list.size());
    if (auto const* of_one = nodes_of(records, list.substr(0, comma)))
      for (auto const& node : *of_one) nodes.insert(node);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return nodes;
}

NodeSet set_of(std::vector<std::string> const& names) {
  NodeSet nodes;
  for (auto const& name : names) nodes.insert(name);
  return nodes;
}

bool in_lease_partition(JobRecord const& job, SnapshotOptions const& options) {
  return job.partition == options.lease_partition;
}

bool is_preempted_lease(JobRecord const& job, SnapshotOptions const& options) {
  return job.preempted && in_lease_partition(job, options);
}

LeaseJob lease_of(JobRecord const& job) {
  LeaseJob lease;
  lease.job = job.job;
  lease.node = job.nodes.empty() ? "" : job.nodes.front();
  lease.uid = job.uid;
  if (auto mark = parse_lease_mark(job.admin_comment)) {
    lease.trainer = mark->trainer;
    lease.ticket = mark->ticket;
  }
  lease.running = job.state == State::running;
  lease.start_s = job.state == State::pending ? 0 : job.start_s;
  lease.limit_s = job.end_s;
  return lease;
}

BaseJob trainer_of(JobRecord const& job, TrainerMark const& mark) {
  BaseJob trainer;
  trainer.job = job.job;
  trainer.uid = job.uid;
  trainer.name = job.name;
  trainer.nodes_min = mark.nodes_min;
  trainer.nodes_max = mark.nodes_max;
  trainer.lease_template = mark.lease_template;
  trainer.running = job.state == State::running;
  trainer.submit_s = job.submit_s;
  return trainer;
}

PendingJob pending_of(JobRecord const& job) {
  PendingJob pending;
  pending.job = job.job;
  pending.partition = job.partition;
  pending.priority = job.priority;
  pending.nodes = std::max(1, job.nodes_min);
  pending.cpus = job.cpus_per_node;
  pending.required = set_of(job.required);
  pending.excluded = set_of(job.excluded);
  if (has_plan(job)) {
    pending.start_s = job.start_s;
    pending.planned = set_of(job.planned);
  }
  return pending;
}

/// Sorts the jobs that are not over into leases, trainers and pending.
void add_jobs(Snapshot* snapshot, ClusterRecords const& records,
              SnapshotOptions const& options) {
  std::vector<JobRecord const*> pending;
  for (auto const& job : records.jobs) {
    if (is_preempted_lease(job, options) && !job.nodes.empty() &&
        job.end_s > snapshot->time_s - preempted_s_max)
      snapshot->preempted.push_back({job.job, job.nodes.front(), job.end_s});
    if (job.state == State::over) continue;
    if (in_lease_partition(job, options)) {
      snapshot->leases.push_back(lease_of(job));
      continue;
    }
    auto const mark = job.partition == options.head_partition
                          ? parse_trainer_mark(job.admin_comment)
                          : std::nullopt;
    if (mark)
      snapshot->trainers.push_back(trainer_of(job, *mark));
    else if (job.eligible)
      pending.push_back(&job);
  }
  std::sort(pending.begin(), pending.end(), [](auto const* a, auto const* b) {
    return a->priority != b->priority ? a->priority > b->priority
                                      : a->job < b->job;
  });
  if (pending.size() > options.pending_max) pending.resize(options.pending_max);
  for (auto const* job : pending) snapshot->pending.push_back(pending_of(*job));
  auto const by_id = [](auto const& a, auto const& b) { return a.job < b.job; };
  std::sort(snapshot->leases.begin(), snapshot->leases.end(), by_id);
  std::sort(snapshot->preempted.begin(), snapshot->preempted.end(), by_id);
  std::sort(snapshot->trainers.begin(), snapshot->trainers.end(), by_id);
}

/// Who holds each node that is not free.
struct Held {
  bool by_lease = false;
  bool by_others = false;
  bool whole = false;  ///< by one that shares it with nobody
  int cpus = 0;
};

std::unordered_map<std::string, Held> holders(ClusterRecords const& records,
                                              SnapshotOptions const& options) {
  std::unordered_map<std::string, Held> held;
  for (auto const& job : records.jobs) {
    if (job.state == State::over || job.state == State::pending) continue;
    bool const is_lease = in_lease_partition(job, options) &&
                          job.state == State::running &&
                          parse_lease_mark(job.admin_comment);
    for (auto const& node : job.nodes) {
      auto& by = held[node];
      (is_lease ? by.by_lease : by.by_others) = true;
      by.whole = by.whole || is_lease || job.cpus_per_node == 0;
      by.cpus += job.cpus_per_node;
    }
  }
  return held;
}

using Holders = std::unordered_map<std::string, Held>;

void add_shared(Snapshot* snapshot, ClusterRecords const& records,
                Holders const& held) {
  for (auto const& node : records.nodes) {
    auto const holder = held.find(node.name);
    if (!node.usable || holder == held.end() || holder->second.whole) continue;
    int const left = node.cpus - holder->second.cpus;
    if (left > 0) snapshot->shared.push_back({node.name, left, node.weight});
  }
  std::sort(snapshot->shared.begin(), snapshot->shared.end(),
            [](auto const& a, auto const& b) { return a.node < b.node; });
}

void add_holes(Snapshot* snapshot, ClusterRecords const& records,
               SnapshotOptions const& options, Holders const& held) {
  auto const* lease_nodes = nodes_of(records, options.lease_partition);
  if (!lease_nodes) return;
  snapshot->nodes_total = static_cast<int>(lease_nodes->size());
  std::unordered_set<std::string_view> const lendable(lease_nodes->begin(),
                                                      lease_nodes->end());
  auto const uses = planned_uses(records, options);
  for (auto const& node : records.nodes) {
    if (!node.usable || !lendable.count(node.name)) continue;
    auto const holder = held.find(node.name);
    bool const leased = holder != held.end() && holder->second.by_lease;
    if (holder != held.end() && holder->second.by_others) continue;
    if (!leased && !node.idle) continue;
    Hole hole;
    hole.node = node.name;
    hole.leased = leased;
    if (auto const use = uses.find(node.name); use != uses.end()) {
      hole.end_s = use->second.start_s;
      hole.planned_job = use->second.job;
    }
    hole.weight = node.weight;
    hole.cpus = node.cpus;
    hole.gres = node.gres;
    snapshot->holes.push_back(std::move(hole));
  }
  std::sort(snapshot->holes.begin(), snapshot->holes.end(),
            [](Hole const& a, Hole const& b) { return a.node < b.node; });
}

}  // namespace

Snapshot make_snapshot(ClusterRecords const& records,
                       SnapshotOptions const& options, TimeS now_s) {
  Snapshot snapshot;
  snapshot.time_s = now_s;
  snapshot.backfill_s = records.backfill_s;
  add_jobs(&snapshot, records, options);
  auto const held = holders(records, options);
  add_holes(&snapshot, records, options, held);
  add_shared(&snapshot, records, held);
  for (auto const& job : snapshot.pending)
    if (!snapshot.partitions.count(job.partition))
      snapshot.partitions[job.partition] = nodes_of_any(records, job.partition);
  return snapshot;
}

}  // namespace gleaner
