// SPDX-License-Identifier: Apache-2.0
/// Which holes, leases, trainers and demand a set of Slurm's records means.
///
/// Pure: plain values in, a Snapshot out.  load.hh fills the records.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/cluster.hh"

namespace gleaner {

struct NodeRecord {
  std::string name;
  bool usable = false;  ///< up, and neither draining, reserved nor completing
  bool idle = false;    ///< usable, and Slurm counts no job on it
  std::uint32_t weight = 1;
  int cpus = 1;
  std::string gres;
};

struct JobRecord {
  JobId job = 0;
  Uid uid = 0;
  std::string name;
  std::string partition;  ///< while pending perhaps several: "main,long"
  std::string admin_comment;
  enum class State {
    pending,
    running,
    suspended,   ///< keeps its nodes
    completing,  ///< ended; its nodes are not free yet
    over,
  } state = State::over;
  bool preempted = false;  ///< by Slurm; completing or over
  bool eligible = false;   ///< pending, and only nodes or its turn are missing
  std::uint32_t priority = 0;
  int nodes_min = 1;
  int cpus_per_node = 1;              ///< 0: whole nodes
  std::vector<std::string> nodes;     ///< allocated
  std::vector<std::string> required;  ///< by --nodelist
  std::vector<std::string> excluded;
  std::vector<std::string> planned;  ///< where backfill means to start it
  TimeS submit_s = 0;
  TimeS start_s = 0;  ///< started, or planned to; 0: unknown
  TimeS end_s = 0;    ///< when its time limit ends it; 0: never
};

struct PartitionRecord {
  std::string name;
  std::vector<std::string> nodes;
};

struct ReservationRecord {
  std::string name;
  TimeS start_s = 0;
  std::vector<std::string> nodes;
};

/// All that a Snapshot is made from.
struct ClusterRecords {
  TimeS backfill_s = 0;  ///< begin of the last backfill cycle; 0: none yet
  std::vector<NodeRecord> nodes;
  std::vector<JobRecord> jobs;
  std::vector<PartitionRecord> partitions;
  std::vector<ReservationRecord> reservations;
};

struct SnapshotOptions {
  std::string lease_partition;
  std::string head_partition;
  std::string reservation;        ///< ours: plans no use of nodes
  std::size_t pending_max = 512;  ///< pending jobs kept, highest priority
};

/// The cluster at `now_s`.
///
/// - A hole is a node of the lease partition that is idle, or that one lease
///   and nothing else holds.  It ends at the earliest start that backfill plans
///   on it or that a reservation has there; no plan leaves the end unknown.
///   A plan that is already past means "at once".
/// - A shared node has CPUs that no job uses, by the jobs' numbers of CPUs.
/// - A preempted lease is one that Slurm ended so in the last 30 s.
/// - A lease is a job in the lease partition; without a mark its trainer is 0.
/// - A trainer is a marked job in the head partition that is not over.
/// - pending holds the eligible jobs that are neither.
/// - `partitions` has one entry for each text of PendingJob::partition; for
///   "main,long" the nodes of either.
/// - nodes_total counts the nodes of the lease partition.
Snapshot make_snapshot(ClusterRecords const& records,
                       SnapshotOptions const& options, TimeS now_s);

}  // namespace gleaner
