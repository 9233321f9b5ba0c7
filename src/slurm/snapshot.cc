// SPDX-License-Identifier: Apache-2.0
/// From Slurm's records to a Snapshot.
#include "slurm/snapshot.hh"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "core/place.hh"
#include "slurm/admin_comment.hh"
#include "slurm/node_kinds.hh"
#include "slurm/parted_nodes.hh"
#include "slurm/pending_jobs.hh"
#include "slurm/snapshot_memory.hh"

namespace gleaner::slurm {
namespace {

using State = JobRecord::State;

/// For how long a lease that Slurm preempted is news.
constexpr double preempted_s_max = 30;

/// The next use of a node that Slurm has planned.
struct PlannedUse {
  TimeS start_s = 0;
  JobId job = 0;  ///< 0: a reservation
};

/// By the node's name, which is the records'.
using PlannedUses = std::unordered_map<std::string_view, PlannedUse>;

void plan(PlannedUses* uses, NodeSet const& nodes, TimeS start_s, JobId job) {
  for (auto const& node : nodes) {
    auto const [at, is_new] = uses->try_emplace(node, PlannedUse{start_s, job});
    if (!is_new && start_s < at->second.start_s) at->second = {start_s, job};
  }
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

NodeSet const* nodes_of(ClusterRecords const& records,
                        std::string_view partition) {
  for (auto const& candidate : records.partitions)
    if (candidate.name == partition) return &candidate.nodes;
  return nullptr;
}

/// Is the name one of "a,b"?
bool in_list(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    auto const comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == name) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
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
  lease.node = job.nodes.empty() ? "" : *job.nodes.begin();
  lease.uid = job.uid;
  if (auto mark = parse_lease_mark(job.admin_comment)) {
    lease.trainer = mark->trainer;
    lease.ticket = mark->ticket;
    if (mark->part) lease.part = job.each;
    if (!lease.node.empty())
      lease.node = to_string(PlaceName{lease.node, mark->part});
  }
  lease.running = job.state == State::running;
  lease.start_s = job.state == State::pending ? 0 : job.start_s;
  lease.limit_s = job.end_s;
  return lease;
}

void add_preempted(Snapshot* snapshot, JobRecord const& job) {
  auto lease = lease_of(job);
  snapshot->preempted.push_back(
      {job.job, std::move(lease.node), job.end_s, std::move(lease.part)});
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
  trainer.account = job.account;
  trainer.weight = mark.weight;
  trainer.deadline_s = mark.deadline_s;
  return trainer;
}

/// The jobs that are neither leases nor trainers.
struct Rigid {
  std::vector<JobRecord const*> eligible;
  std::vector<JobRecord const*> dated;
};

/// Sorts the jobs that are not over into leases, trainers and the others.
Rigid add_jobs(Snapshot* snapshot, ClusterRecords const& records,
               SnapshotOptions const& options) {
  Rigid rigid;
  for (auto const& job : records.jobs) {
    if (is_preempted_lease(job, options) && !job.nodes.empty() &&
        job.end_s > snapshot->time_s - preempted_s_max)
      add_preempted(snapshot, job);
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
      rigid.eligible.push_back(&job);
    else if (job.dated)
      rigid.dated.push_back(&job);
  }
  auto const by_id = [](auto const& a, auto const& b) { return a.job < b.job; };
  std::sort(snapshot->leases.begin(), snapshot->leases.end(), by_id);
  std::sort(snapshot->preempted.begin(), snapshot->preempted.end(), by_id);
  std::sort(snapshot->trainers.begin(), snapshot->trainers.end(), by_id);
  return rigid;
}

/// Who holds each node that is not free.
struct Held {
  bool by_lease = false;  ///< of the whole node
  bool by_parts = false;  ///< leases of parts
  bool by_others = false;
  bool whole = false;     ///< by one that shares it with nobody
  bool one_user = false;  ///< by one that shares it with its user alone
  int cpus = 0;
};

std::unordered_map<std::string_view, Held> holders(
    ClusterRecords const& records, SnapshotOptions const& options) {
  std::unordered_map<std::string_view, Held> held;
  for (auto const& job : records.jobs) {
    if (job.state == State::over || job.state == State::pending) continue;
    auto const mark =
        in_lease_partition(job, options) && job.state == State::running
            ? parse_lease_mark(job.admin_comment)
            : std::nullopt;
    bool const is_part = mark && mark->part;
    bool const is_lease = mark && !is_part;
    for (auto const& node : job.nodes) {
      auto& by = held[node];
      (is_part ? by.by_parts : is_lease ? by.by_lease : by.by_others) = true;
      by.whole = by.whole || is_lease || job.whole;
      by.one_user = by.one_user || job.own_user_only;
      by.cpus += job.each.cpus;
    }
  }
  return held;
}

/// What no job uses.  Jobs that began after the nodes were asked for are known
/// by their CPUs alone.
Resources free_of(NodeRecord const& node, NodeKind const& kind,
                  Held const& held, SnapshotMemory* memory) {
  Resources used{std::max(node.cpus_used, held.cpus), node.memory_used_mb, {}};
  auto free = minus(kind.total, used);
  // Which GRES a job has that began since is not known.
  bool const began_since = kind.parts_max > 0 && held.cpus > node.cpus_used;
  if (held.by_others || held.by_parts) {
    free.gres = node.gres_used && !began_since
                    ? memory->unused_of(*node.gres_used, kind.total.gres)
                    : Gres{};
  }
  return free;
}

/// A node on which jobs may start though it is none of the holes.  `parted`:
/// what is known of its parts, or null.
void add_shared(Snapshot* snapshot, NodeRecord const& node, KindIndex kind,
                Held const& held, SharedNode const* parted,
                SnapshotMemory* memory) {
  if (!node.usable || held.whole ||
      (!node.idle && !held.by_others && !held.by_parts))
    return;
  SharedNode shared;
  if (parted) shared = *parted;
  shared.node = node.name;
  shared.kind = kind;
  shared.free = free_of(node, snapshot->kinds[kind], held, memory);
  shared.weight = node.weight;
  if (shared.parted || shared.free.cpus > 0)
    snapshot->shared.push_back(std::move(shared));
}

/// The node as a hole, if it is one.
std::optional<Hole> hole_of(NodeRecord const& node, KindIndex kind,
                            Held const& held, PlannedUses const& uses) {
  if (!node.usable || held.by_others || held.by_parts) return std::nullopt;
  if (!held.by_lease && !node.idle) return std::nullopt;
  Hole hole;
  hole.node = node.name;
  hole.kind = kind;
  hole.leased = held.by_lease;
  hole.weight = node.weight;
  if (auto const use = uses.find(node.name); use != uses.end()) {
    hole.end_s = use->second.start_s;
    hole.planned_job = use->second.job;
  }
  return hole;
}

void add_nodes(Snapshot* snapshot, ClusterRecords const& records,
               SnapshotOptions const& options, SnapshotMemory* memory) {
  auto const held = holders(records, options);
  auto const uses = planned_uses(records, options);
  auto const& kinds = memory->kinds.of(records.nodes, records.partitions);
  snapshot->kinds = kinds.kinds;
  std::vector<char> lendable;
  for (auto const& kind : snapshot->kinds)
    lendable.push_back(kind.is_in(options.lease_partition));
  auto const parted = parted_nodes(&snapshot->kinds, records, options);
  for (std::size_t i = 0; i < records.nodes.size(); ++i) {
    auto const& node = records.nodes[i];
    auto const kind = kinds.of[i];
    auto const found = held.find(node.name);
    auto const by = found == held.end() ? Held{} : found->second;
    bool const may_be_lent =
        lendable[kind] && (!node.cloud || options.lend_cloud);
    auto const in_parts = parted.find(node.name);
    bool const parts_lent =
        may_be_lent && in_parts != parted.end() && !by.by_lease && !by.one_user;
    auto hole = may_be_lent && !parts_lent ? hole_of(node, kind, by, uses)
                                           : std::nullopt;
    if (hole)
      snapshot->holes.push_back(std::move(*hole));
    else
      add_shared(snapshot, node, kind, by,
                 parts_lent ? &in_parts->second : nullptr, memory);
  }
  auto const by_name = [](auto const& a, auto const& b) {
    return a.node < b.node;
  };
  std::sort(snapshot->holes.begin(), snapshot->holes.end(), by_name);
  std::sort(snapshot->shared.begin(), snapshot->shared.end(), by_name);
}

/// Jobs that could start at a time, at most one on a node that is not parted.
std::size_t places_open(Snapshot const& snapshot) {
  std::size_t open = snapshot.holes.size();
  for (auto const& node : snapshot.shared)
    open += node.parted ? static_cast<std::size_t>(
                              std::max(1, snapshot.kind(node.kind).total.cpus))
                        : 1;
  return open;
}

/// The nodes of the reservations that waiting jobs name.
void add_reservations(Snapshot* snapshot, ClusterRecords const& records) {
  for (auto const& reservation : records.reservations) {
    auto const names_it = [&](PendingJob const& job) {
      return in_list(job.reservation, reservation.name);
    };
    auto const is_named_in = [&](std::vector<PendingJob> const& jobs) {
      return std::any_of(jobs.begin(), jobs.end(), names_it);
    };
    bool const named =
        is_named_in(snapshot->pending) || is_named_in(snapshot->coming);
    if (!named || reservation.flex || reservation.nodes.empty()) continue;
    snapshot->reservations[reservation.name] = reservation.nodes;
  }
}

}  // namespace

SnapshotOptions snapshot_options(Config const& config) {
  SnapshotOptions options{config.lease_partition, config.head_partition,
                          config.reservation};
  options.lend_cloud = config.lend_cloud == Config::LendCloud::yes;
  options.parts_per_node_max = parts_per_node(config);
  std::string_view list = config.parts_partitions;
  while (!list.empty()) {
    auto const comma = std::min(list.find(','), list.size());
    if (comma > 0) options.parts_partitions.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return options;
}

Snapshot make_snapshot(ClusterRecords const& records,
                       SnapshotOptions const& options, TimeS now_s) {
  SnapshotMemory memory;
  return make_snapshot(records, options, now_s, &memory);
}

Snapshot make_snapshot(ClusterRecords const& records,
                       SnapshotOptions const& options, TimeS now_s,
                       SnapshotMemory* memory) {
  Snapshot snapshot;
  snapshot.time_s = now_s;
  snapshot.backfill_s = records.backfill_s;
  auto rigid = add_jobs(&snapshot, records, options);
  if (auto const* nodes = nodes_of(records, options.lease_partition))
    snapshot.nodes_total = static_cast<int>(nodes->size());
  add_nodes(&snapshot, records, options, memory);
  snapshot.pending = pending_jobs(std::move(rigid.eligible), records, options,
                                  places_open(snapshot));
  snapshot.coming = coming_jobs(std::move(rigid.dated), options, now_s);
  add_reservations(&snapshot, records);
  memory->gres.forget_unused();
  return snapshot;
}

}  // namespace gleaner::slurm
