// SPDX-License-Identifier: Apache-2.0
/// What Gleaner knows of the cluster at one moment: holes, leases, demand.
///
/// Made from Slurm's answers by src/slurm/snapshot.cc, in the scavenger thread
/// of sched_gleaner or, with `scavenger: poll`, in gleanerd.  A plain value:
/// everything gleanerd decides is a function of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/features.hh"
#include "core/node_set.hh"
#include "core/resources.hh"

namespace gleaner {

using JobId = std::uint32_t;  ///< Slurm's job id; 0 is none
using Uid = std::uint32_t;    ///< POSIX user id
using TimeS = double;         ///< seconds since the epoch, wall clock

/// What nodes that are alike have.  A snapshot says it once for all of them.
struct NodeKind {
  Resources total;  ///< what jobs can have of one of them
  Features features;
  std::vector<std::string> partitions;  ///< they are in, ordered
  NodeSet nodes;             ///< all of this kind, whatever they do now
  int threads_per_core = 1;  ///< CPUs are allocated so many at a time
  /// Most leases on one of them; 0: a lease takes the whole node.
  int parts_max = 0;
  bool operator==(NodeKind const&) const = default;

  bool is_in(std::string const& partition) const {
    return std::binary_search(partitions.begin(), partitions.end(), partition);
  }
};

/// A place in Snapshot::kinds.
using KindIndex = std::uint32_t;
inline constexpr KindIndex no_kind = static_cast<KindIndex>(-1);

/// A node that is idle, or that only a lease holds.
struct Hole {
  std::string node;
  KindIndex kind = 0;
  bool leased = false;         ///< a lease of ours runs on it
  std::optional<TimeS> end_s;  ///< when Slurm plans to use it; none: unknown
  JobId planned_job = 0;       ///< the job that plan is for
  std::uint32_t weight = 1;    ///< slurm.conf's Weight: low goes first
  bool operator==(Hole const&) const = default;
};

/// What a rigid job has, or is to have, of a node.
struct NodeUse {
  JobId job = 0;
  Resources each;
  bool whole = false;  ///< shares the node with nobody
  TimeS time_s = 0;    ///< its limit ends it, or its planned start; 0: never
  bool operator==(NodeUse const&) const = default;
};

/// A node on which jobs may start that is no hole: jobs use it in part, it is
/// idle and not to be lent, or it is lent in parts.
struct SharedNode {
  std::string node;
  KindIndex kind = 0;
  Resources free;  ///< what is not allocated of it
  std::uint32_t weight = 1;
  bool parted = false;  ///< it is lent in parts
  // Of a parted node:
  std::vector<NodeUse> running = {};  ///< rigid jobs on it
  std::vector<NodeUse> planned = {};  ///< that backfill means to start there
  std::optional<TimeS> reserved_s =
      std::nullopt;  ///< when a reservation begins
  bool operator==(SharedNode const&) const = default;
};

/// A one-node allocation in the lease partition.
struct LeaseJob {
  JobId job = 0;
  std::string node;  ///< or the part of it, "n3+1"; "" while pending
  Uid uid = 0;
  JobId trainer = 0;     ///< the base job it was lent to; 0: not ours
  std::string ticket;    ///< nonce of the ticket that admitted it
  bool running = false;  ///< false: pending or completing
  TimeS start_s = 0;
  TimeS limit_s = 0;  ///< when Slurm's time limit ends it
  std::optional<Resources> part = std::nullopt;  ///< none: the whole node
  bool operator==(LeaseJob const&) const = default;
};

/// A lease that Slurm preempted a moment ago.
struct PreemptedLease {
  JobId job = 0;
  std::string node;                              ///< or the part of it
  TimeS end_s = 0;                               ///< when it did
  std::optional<Resources> part = std::nullopt;  ///< what it had
  bool operator==(PreemptedLease const&) const = default;
};

/// Rigid jobs that wait: one, or the tasks of an array that are alike.
struct PendingJob {
  JobId job = 0;
  int tasks = 1;  ///< of an array, that may run at the same time
  Uid uid = 0;
  std::string partition;  ///< perhaps several: "main,long"
  std::uint32_t priority = 0;
  int nodes = 1;                 ///< least number of nodes a task can start on
  Resources each;                ///< what it needs on each of them
  Gres gres;                     ///< what it needs on all of them together
  bool whole = false;            ///< shares its nodes with nobody
  bool whole_memory = false;     ///< all memory of each node
  std::string constraint;        ///< as --constraint says it
  std::string reservation;       ///< it runs in; perhaps several: "a,b"
  NodeSet required;              ///< nodes it insists on; empty: any
  NodeSet excluded;              ///< nodes it will not take
  std::optional<TimeS> start_s;  ///< when backfill plans to start it
  NodeSet planned;               ///< where
  TimeS eligible_s = 0;          ///< when only nodes were, or will be, missing
  /// Its begin time is ours, for trainings to leave first.
  bool on_notice = false;
  bool operator==(PendingJob const&) const = default;
};

/// The batch job of a trainer, in the head partition.
struct BaseJob {
  JobId job = 0;
  Uid uid = 0;
  std::string name;
  int nodes_min = 1;
  int nodes_max = 1;
  std::string lease_template;  ///< what each lease asks for, as srun options
  bool running = false;
  TimeS submit_s = 0;
  std::string account;   ///< it is charged to; "" without accounting
  double weight = 1;     ///< among its user's (importance.hh), as submitted
  TimeS deadline_s = 0;  ///< likewise; 0: none
  bool operator==(BaseJob const&) const = default;
};

struct Snapshot {
  TimeS time_s = 0;
  TimeS backfill_s = 0;  ///< begin of the last backfill cycle; 0: none yet
  int nodes_total = 0;   ///< that can be lent at all
  std::vector<NodeKind> kinds;
  std::vector<Hole> holes;                ///< ordered by node name
  std::vector<SharedNode> shared;         ///< ordered by node name
  std::vector<LeaseJob> leases;           ///< ordered by job id
  std::vector<PreemptedLease> preempted;  ///< ordered by job id
  /// Those that nothing but resources keeps from starting, in the order in
  /// which Slurm tries them.
  std::vector<PendingJob> pending;
  /// Those that become eligible by the clock, soonest first; also those whose
  /// time has come, until Slurm has looked at them again.
  std::vector<PendingJob> coming;
  std::vector<BaseJob> trainers;  ///< ordered by job id
  /// Nodes of the reservations that waiting jobs name and may not leave.
  std::map<std::string, NodeSet> reservations;
  bool operator==(Snapshot const&) const = default;

  /// Is there a training, waiting or running, or anything left of one?
  bool is_in_use() const {
    return !trainers.empty() || !leases.empty() || !preempted.empty();
  }

  /// What is known of a kind; an empty kind for one that is unknown.
  NodeKind const& kind(KindIndex index) const {
    static NodeKind const unknown;
    return index < kinds.size() ? kinds[index] : unknown;
  }

  /// The kind of a node by its name; no_kind where Slurm has no such node.
  KindIndex kind_of(std::string const& node) const {
    for (KindIndex i = 0; i < kinds.size(); ++i)
      if (kinds[i].nodes.contains(node)) return i;
    return no_kind;
  }
};

}  // namespace gleaner
