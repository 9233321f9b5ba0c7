// SPDX-License-Identifier: Apache-2.0
/// Does slurm.conf let leases work, and leave everybody else alone?
///
/// Pure: a summary of the configuration in, findings out.
#pragma once

#include <string>
#include <vector>

#include "core/config.hh"
#include "slurm/control.hh"

namespace gleaner {

/// What matters to us of a partition.
struct PartitionFacts {
  std::string name;
  int priority_tier = 1;
  enum class Preempt { off, cancel, other } preempt = Preempt::off;
  int grace_time_s = 0;
  bool needs_reservation = false;   ///< ReqResv=YES
  bool limits_alloc_nodes = false;  ///< AllowAllocNodes is set
  bool is_default = false;
  std::vector<std::string> nodes;
};

/// What matters to us of slurm.conf.  Texts are as slurmctld reports them.
struct SlurmConfFacts {
  std::string version;
  std::string job_submit_plugins;    ///< "lua,gleaner"
  std::string prep_plugins;          ///< "prep/script,prep/gleaner"
  std::string scheduler_type;        ///< "sched/backfill"
  std::string scheduler_parameters;  ///< "defer,bf_interval=30"
  std::string preempt_type;          ///< "preempt/partition_prio"
  std::string licences;              ///< "gleaner:1,matlab:20"
  int complete_wait_s = 0;
  std::vector<PartitionFacts> partitions;
};

/// Judge the configuration: errors stop leases, warnings make them slow or
/// make somebody else's jobs suffer.
SlurmSetup judge_setup(SlurmConfFacts const& facts, Config const& config);

/// Is `item` one of a comma-separated list?  "gleaner" is in "lua,gleaner" and
/// in "matlab:2,gleaner:1": what follows a ':', '=' or '@' does not count.
bool list_has(std::string_view list, std::string_view item);

}  // namespace gleaner
