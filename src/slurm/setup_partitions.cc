// SPDX-License-Identifier: Apache-2.0
/// Is the lease partition below all others, and fit for leases alone?
#include <algorithm>
#include <set>

#include "slurm/setup_rules.hh"

namespace gleaner::slurm::setup {
namespace {

using Preempt = PartitionFacts::Preempt;

/// "partition 'lease' " and the line of slurm.conf that is to change.
struct Line {
  explicit Line(PartitionFacts const& partition)
      : setting("PartitionName=" + partition.name),
        subject("partition '" + partition.name + "' ") {}
  std::string with(std::string const& words) const {
    return setting + " … " + words;
  }
  std::string setting, subject;
};

void judge_taking_back(PartitionFacts const& lease, Line const& line,
                       Findings& findings) {
  if (lease.preempt != Preempt::cancel)
    findings.refuse(line.setting,
                    line.subject +
                        "lacks PreemptMode=CANCEL (jobs that want a "
                        "leased node could not take it)",
                    line.with("PreemptMode=CANCEL"));
  if (lease.grace_time_s > 0)
    findings.refuse(line.setting,
                    line.subject +
                        "has GraceTime=" + std::to_string(lease.grace_time_s) +
                        " (Slurm looks at it every 30 s only, so jobs would "
                        "wait that long)",
                    line.with("GraceTime=0"));
  if (lease.forces_sharing)
    findings.refuse(line.setting,
                    line.subject +
                        "has OverSubscribe=FORCE (two leases would "
                        "share the same cores)",
                    line.with("OverSubscribe=NO"));
}

void judge_entrance(PartitionFacts const& lease, Line const& line,
                    Config const& config, Findings& findings) {
  if (lease.is_default)
    findings.refuse(line.setting,
                    line.subject +
                        "is the default partition (every job "
                        "without a partition would be refused)",
                    line.with("Default=NO") + ", and another one Default=YES");
  if (!lease.needs_reservation)
    findings.warn(line.setting,
                  line.subject + "lacks ReqResv=YES, the second lock on it",
                  line.with("ReqResv=YES"));
  // Slurm reads ALL as "any node" on the line PartitionName=DEFAULT only, and
  // scontrol shows it either way (read_config.c, validate_alloc_node()).
  if (lease.alloc_nodes == "ALL")
    findings.refuse(line.setting,
                    line.subject +
                        "has AllocNodes=ALL, which Slurm takes for the name of "
                        "a node (no lease would start: \"Access/permission "
                        "denied\")",
                    "take AllocNodes out, or name the nodes of partition '" +
                        config.head_partition + "'");
  if (!lease.up)
    findings.refuse(line.setting,
                    line.subject + "is not UP (no lease would start)",
                    "scontrol update PartitionName=" + lease.name +
                        " State=UP, and " + line.with("State=UP"));
  if (lease.minutes_max > 0 && lease.minutes_max < config.lease_minutes_max)
    findings.refuse(line.setting,
                    line.subject +
                        "has MaxTime=" + std::to_string(lease.minutes_max) +
                        " min, less than lease_minutes_max: " +
                        std::to_string(config.lease_minutes_max) +
                        " (leases would be refused)",
                    line.with("MaxTime=INFINITE"));
  auto const allows = [](std::string const& list, std::string const& name) {
    return list.empty() || name.empty() || list_has(list, name);
  };
  if (!allows(lease.allowed_accounts, config.lease_account))
    findings.refuse(line.setting,
                    line.subject +
                        "has AllowAccounts=" + lease.allowed_accounts +
                        " without lease_account: " + config.lease_account +
                        " (leases would be refused)",
                    line.with("AllowAccounts=" + config.lease_account));
  if (!allows(lease.allowed_qos, config.lease_qos))
    findings.refuse(line.setting,
                    line.subject + "has AllowQos=" + lease.allowed_qos +
                        " without lease_qos: " + config.lease_qos +
                        " (leases would be refused)",
                    line.with("AllowQos=" + config.lease_qos));
}

/// Those whose jobs must be able to take leased nodes.
void judge_other(SlurmConfFacts const& facts, PartitionFacts const& other,
                 PartitionFacts const& lease, Findings& findings) {
  Line const line(other);
  bool const by_partition = facts.preempt_type == "preempt/partition_prio";
  if (by_partition && other.preempt != Preempt::off)
    findings.warn(line.setting,
                  line.subject +
                      "lacks PreemptMode=OFF (PreemptType counts "
                      "for all partitions: higher tiers may cancel "
                      "its jobs)",
                  line.with("PreemptMode=OFF") + ", unless that is meant");
  if (!share_nodes(lease, other)) return;
  if (other.priority_tier <= lease.priority_tier)
    findings.refuse(
        line.setting,
        line.subject + "has PriorityTier=" +
            std::to_string(other.priority_tier) + ", not above that of '" +
            lease.name + "', " + std::to_string(lease.priority_tier) +
            " (its jobs could not take leased nodes)",
        line.with("PriorityTier=" + std::to_string(lease.priority_tier + 1)));
}

}  // namespace

bool share_nodes(PartitionFacts const& a, PartitionFacts const& b) {
  std::set<std::string> const of_a(a.nodes.begin(), a.nodes.end());
  return std::any_of(b.nodes.begin(), b.nodes.end(),
                     [&](auto const& node) { return of_a.count(node) != 0; });
}

void judge_partitions(SlurmConfFacts const& facts, Config const& config,
                      Findings& findings) {
  auto const before = findings.setup().findings.size();
  for (auto const& partition : facts.partitions)
    if (partition.is_default)
      findings.setup().default_partition = partition.name;
  auto const* lease = find(facts, config.lease_partition);
  if (lease) {
    for (auto const& node : lease->nodes) findings.setup().nodes.insert(node);
    judge_taking_back(*lease, Line(*lease), findings);
    judge_entrance(*lease, Line(*lease), config, findings);
    for (auto const& other : facts.partitions)
      if (&other != lease) judge_other(facts, other, *lease, findings);
  } else {
    findings.refuse("PartitionName=" + config.lease_partition,
                    "there is no partition '" + config.lease_partition + "'",
                    "PartitionName=" + config.lease_partition +
                        " Nodes=ALL PriorityTier=1 PreemptMode=CANCEL "
                        "GraceTime=0 ReqResv=YES Hidden=YES, or set "
                        "lease_partition");
  }
  if (!find(facts, config.head_partition))
    findings.refuse("PartitionName=" + config.head_partition,
                    "there is no partition '" + config.head_partition +
                        "' for the batch jobs of trainers",
                    "define it, or set head_partition");
  if (findings.setup().findings.size() == before)
    findings.ok("partitions", "'" + config.lease_partition +
                                  "' is below all that share its nodes");
}

}  // namespace gleaner::slurm::setup
