// SPDX-License-Identifier: Apache-2.0
/// What Gleaner knows of the cluster at one moment: holes, leases, demand.
///
/// Made from Slurm's answers by src/slurm/snapshot.cc, in the scavenger thread
/// of sched_gleaner or, with `scavenger: poll`, in gleanerd.  A plain value:
/// everything gleanerd decides is a function of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/node_set.hh"

namespace gleaner {

using JobId = std::uint32_t;  ///< Slurm's job id; 0 is none
using Uid = std::uint32_t;    ///< POSIX user id
using TimeS = double;         ///< seconds since the epoch, wall clock

/// A node that is idle, or that only a lease holds.
struct Hole {
  std::string node;
  bool leased = false;         ///< a lease of ours runs on it
  std::optional<TimeS> end_s;  ///< when Slurm plans to use it; none: unknown
  JobId planned_job = 0;       ///< the job that plan is for
  std::uint32_t weight = 1;    ///< slurm.conf's Weight: low goes first
  int cpus = 1;
  std::string gres;  ///< as slurm.conf writes it: "gpu:4"
  bool operator==(Hole const&) const = default;
};

/// A node that jobs use in part: others may start on the rest.
struct SharedNode {
  std::string node;
  int cpus_idle = 0;
  std::uint32_t weight = 1;
  bool operator==(SharedNode const&) const = default;
};

/// A one-node allocation in the lease partition.
struct LeaseJob {
  JobId job = 0;
  std::string node;  ///< "" while pending
  Uid uid = 0;
  JobId trainer = 0;     ///< the base job it was lent to; 0: not ours
  std::string ticket;    ///< nonce of the ticket that admitted it
  bool running = false;  ///< false: pending or completing
  TimeS start_s = 0;
  TimeS limit_s = 0;  ///< when Slurm's time limit ends it
  bool operator==(LeaseJob const&) const = default;
};

/// A lease that Slurm preempted a moment ago.
struct PreemptedLease {
  JobId job = 0;
  std::string node;
  TimeS end_s = 0;  ///< when it did
  bool operator==(PreemptedLease const&) const = default;
};

/// A rigid job that waits and that nothing but resources keeps from starting.
struct PendingJob {
  JobId job = 0;
  std::string partition;
  std::uint32_t priority = 0;
  int nodes = 1;                 ///< least number of nodes it can start on
  int cpus = 1;                  ///< on each of them; 0: whole nodes
  NodeSet required;              ///< nodes it insists on; empty: any
  NodeSet excluded;              ///< nodes it will not take
  std::optional<TimeS> start_s;  ///< when backfill plans to start it
  NodeSet planned;               ///< where
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
  bool operator==(BaseJob const&) const = default;
};

struct Snapshot {
  TimeS time_s = 0;
  TimeS backfill_s = 0;  ///< begin of the last backfill cycle; 0: none yet
  int nodes_total = 0;
  std::vector<Hole> holes;                    ///< ordered by node name
  std::vector<SharedNode> shared;             ///< ordered by node name
  std::vector<LeaseJob> leases;               ///< ordered by job id
  std::vector<PreemptedLease> preempted;      ///< ordered by job id
  std::vector<PendingJob> pending;            ///< highest priority first
  std::vector<BaseJob> trainers;              ///< ordered by job id
  std::map<std::string, NodeSet> partitions;  ///< of the pending jobs
  bool operator==(Snapshot const&) const = default;
};

}  // namespace gleaner
