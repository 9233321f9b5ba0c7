// SPDX-License-Identifier: Apache-2.0
/// Which holes, leases, trainers and demand a set of Slurm's records means.
///
/// Pure: plain values in, a Snapshot out.  load.hh fills the records.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/cluster.hh"
#include "core/config.hh"

namespace gleaner::slurm {

struct NodeRecord {
  std::string name;
  bool usable = false;  ///< up, and neither draining, reserved nor completing
  bool idle = false;    ///< usable, and Slurm counts no job on it
  bool cloud = false;   ///< powered up for jobs, and down when there are none
  std::uint32_t weight = 1;
  int cpus = 1;                ///< for jobs: less those set apart for Slurm
  std::int64_t memory_mb = 0;  ///< likewise
  int threads_per_core = 1;
  std::string gres;      ///< as slurm.conf writes it: "gpu:a:4"
  std::string features;  ///< active now: "fast,a100"
  int cpus_used = 0;
  std::int64_t memory_used_mb = 0;
  std::optional<std::string> gres_used;  ///< none: Slurm was not asked
};

struct JobRecord {
  JobId job = 0;
  JobId array = 0;    ///< its job array; 0: none
  int tasks = 1;      ///< of the array that this record stands for
  int tasks_max = 0;  ///< of the array that may run at a time; 0: all
  Uid uid = 0;
  std::string name;
  std::string partition;  ///< while pending perhaps several: "main,long"
  std::string account;
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
  bool dated = false;      ///< pending, and only the time was missing (--begin)
  std::uint32_t priority = 0;
  int nodes_min = 1;
  bool whole = false;          ///< shares its nodes with nobody
  bool own_user_only = false;  ///< shares them with jobs of its user alone
  bool whole_memory = false;   ///< takes all memory of each node
  Resources each;              ///< needs or has on each node
  Gres gres;                   ///< needs on all nodes together
  std::string constraint;
  std::string reservation;
  NodeSet nodes;     ///< allocated
  NodeSet required;  ///< by --nodelist
  NodeSet excluded;
  NodeSet planned;  ///< where backfill means to start it
  TimeS submit_s = 0;
  TimeS eligible_s = 0;  ///< since or from when; 0: unknown
  TimeS start_s = 0;     ///< started, or planned to; 0: unknown
  TimeS end_s = 0;       ///< when its time limit ends it; 0: never
};

struct PartitionRecord {
  std::string name;
  NodeSet nodes;
  int tier = 0;  ///< PriorityTier: Slurm tries jobs of a higher one first
  bool one_user_a_node = false;  ///< ExclusiveUser=YES
  bool one_job_a_node = false;   ///< OverSubscribe=EXCLUSIVE
  bool operator==(PartitionRecord const&) const = default;
};

struct ReservationRecord {
  std::string name;
  TimeS start_s = 0;
  NodeSet nodes;
  bool flex = false;  ///< its jobs may run on other nodes too
};

/// All that a Snapshot is made from.
struct ClusterRecords {
  TimeS backfill_s = 0;  ///< begin of the last backfill cycle; 0: none yet
  std::vector<NodeRecord> nodes;
  std::vector<JobRecord> jobs;
  std::vector<PartitionRecord> partitions;
  std::vector<ReservationRecord> reservations;
};

struct SnapshotMemory;  // snapshot_memory.hh

struct SnapshotOptions {
  std::string lease_partition;
  std::string head_partition;
  std::string reservation;         ///< ours: plans no use of nodes
  std::size_t pending_max = 4096;  ///< pending jobs kept
  double coming_s = 600;       ///< how long before their time jobs are told of
  bool lend_cloud = false;     ///< CLOUD nodes are holes too
  int parts_per_node_max = 0;  ///< 0: leases are whole nodes
  std::vector<std::string> parts_partitions = {};  ///< empty: all
};

/// What gleaner.yaml says of how the cluster is seen.
SnapshotOptions snapshot_options(Config const& config);

/// The cluster at `now_s`.
///
/// - Nodes that are alike in what they have, their features and partitions are
///   of one kind (node_kinds.hh).
/// - A hole is a node of the lease partition that is idle, or that one lease
///   and nothing else holds; a CLOUD node only if that is asked for.  It ends
///   at the earliest start that backfill plans on it or that a reservation has
///   there; no plan leaves the end unknown.  A plan that is already past means
///   "at once".
/// - A shared node is any other on which a job may start beside those that run,
///   with what no job uses of it.  GRES that Slurm did not tell count as used.
/// - Nodes with GPUs that may be lent in parts are shared nodes, idle or not,
///   but for those that a lease holds whole.  Not parted are nodes of a
///   partition with ExclusiveUser=YES, whose jobs a lease of another user would
///   keep out: Slurm preempts none for them.
/// - A preempted lease is one that Slurm ended so in the last 30 s.
/// - A lease is a job in the lease partition; without a mark its trainer is 0.
/// - A trainer is a marked job in the head partition that is not over.
/// - pending holds the eligible jobs that are neither (pending_jobs.hh).
/// - nodes_total counts the nodes of the lease partition.
Snapshot make_snapshot(ClusterRecords const& records,
                       SnapshotOptions const& options, TimeS now_s);

/// The same, and quicker where much is as it was when `memory` was used last.
Snapshot make_snapshot(ClusterRecords const& records,
                       SnapshotOptions const& options, TimeS now_s,
                       SnapshotMemory* memory);

}  // namespace gleaner::slurm
