// SPDX-License-Identifier: Apache-2.0
/// Does the site's Slurm let leases work, and leave everybody else alone?
///
/// Pure: a summary of the configuration in, findings out.  setup_facts.hh makes
/// the summary.  gleanerd lends nothing while a finding refuses; `gleaner
/// doctor` shows them all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/config.hh"
#include "slurm/control.hh"

namespace gleaner::slurm {

/// What matters to us of a partition.
struct PartitionFacts {
  std::string name;
  int priority_tier = 1;
  enum class Preempt { off, cancel, other } preempt = Preempt::off;
  int grace_time_s = 0;
  bool needs_reservation = false;  ///< ReqResv=YES
  /// AllocNodes as slurmctld has it; "": leases may come from any node.
  std::string alloc_nodes;
  bool is_default = false;
  bool up = true;                ///< State=UP
  bool forces_sharing = false;   ///< OverSubscribe=FORCE
  bool one_job_a_node = false;   ///< OverSubscribe=EXCLUSIVE
  bool one_user_a_node = false;  ///< ExclusiveUser=YES
  bool one_job_a_block = false;  ///< ExclusiveTopo=YES
  int minutes_max = 0;           ///< MaxTime; 0: no limit
  std::string allowed_accounts;  ///< AllowAccounts; "": all
  std::string allowed_qos;       ///< AllowQos; "": all
  std::vector<std::string> nodes;
};

/// What matters to us of a QOS.
struct QosFacts {
  std::string name;
  std::vector<std::string> preempts;  ///< whose jobs its jobs may preempt
  bool cancels = true;                ///< PreemptMode: the cluster's or CANCEL
  int grace_time_s = 0;
  int exempt_s = 0;  ///< PreemptExemptTime
  double usage_factor = 1;
};

/// What slurmctld knows of accounting.
struct AccountingFacts {
  std::vector<QosFacts> qos;
  bool has_lease_account = false;  ///< some association is with it
};

/// What matters to us of slurm.conf.  Texts are as slurmctld reports them.
struct SlurmConfFacts {
  std::string version;               ///< slurmctld's: "24.11.5"
  std::string built_for;             ///< that of the headers we were built with
  std::string plugin_dirs;           ///< "a:b"
  std::string job_submit_plugins;    ///< "lua,gleaner"
  std::string prep_plugins;          ///< "prep/script,prep/gleaner"
  std::string scheduler_type;        ///< "sched/backfill"
  std::string scheduler_parameters;  ///< "defer,bf_interval=30"
  std::string slurmctld_parameters;  ///< "rl_enable,enable_configless"
  std::string select_type = "select/cons_tres";
  bool counts_memory = true;       ///< SelectTypeParameters=…_Memory
  std::string preempt_type;        ///< "preempt/partition_prio"
  std::string preempt_parameters;  ///< "youngest_first"; 22.05 has none
  std::string licences;            ///< "gleaner:1,matlab:20"
  std::string mcs_plugin;          ///< "mcs/none"
  std::string task_plugin;         ///< "task/cgroup,task/affinity"
  std::string federation;          ///< its name; "": in none
  int complete_wait_s = 0;
  int preempt_exempt_s = 0;
  int kill_wait_s = 30;
  int message_timeout_s = 10;
  int over_time_limit_min = 0;      ///< -1: UNLIMITED
  int jobs_max = 10000;             ///< MaxJobCount
  int job_age_s_min = 300;          ///< MinJobAge; 0: records are kept for ever
  std::string slurm_user;           ///< SlurmUser; "": not told
  std::int64_t head_memory_mb = 0;  ///< of the largest head node; 0: unknown
  std::vector<std::string> epilogs;      ///< run by slurmd
  std::vector<std::string> prologs;      ///< run by slurmd
  std::vector<std::string> ctl_scripts;  ///< {Prolog,Epilog}Slurmctld
  bool enforces_limits = false;  ///< AccountingStorageEnforce has limits
  bool enforces_associations = false;
  bool has_backup = false;  ///< a second SlurmctldHost
  std::vector<PartitionFacts> partitions;
  std::optional<AccountingFacts> accounting;  ///< none: without slurmdbd
  bool has_reservation = false;               ///< ours is there
  std::optional<double> clock_ahead_s;  ///< this machine's before slurmctld's
  std::string key_file_system;  ///< "NFS" where the key lies; "": a local one
};

/// Judge the configuration; see Finding::Severity.
SlurmSetup judge_setup(SlurmConfFacts const& facts, Config const& config);

/// Is `item` one of a comma-separated list?  "gleaner" is in "lua,gleaner" and
/// in "matlab:2,gleaner:1": what follows a ':', '=' or '@' does not count.
bool list_has(std::string_view list, std::string_view item);

/// The number after "item=" in such a list; none without it.
std::optional<int> list_number(std::string_view list, std::string_view item);

}  // namespace gleaner::slurm
