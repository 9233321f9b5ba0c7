// SPDX-License-Identifier: Apache-2.0
/// The rules for slurm.conf.
#include "slurm/setup.hh"

#include <algorithm>
#include <set>

namespace gleaner {
namespace {

using Preempt = PartitionFacts::Preempt;

PartitionFacts const* find(SlurmConfFacts const& facts,
                           std::string const& name) {
  for (auto const& partition : facts.partitions)
    if (partition.name == name) return &partition;
  return nullptr;
}

bool share_nodes(PartitionFacts const& a, PartitionFacts const& b) {
  std::set<std::string> const of_a(a.nodes.begin(), a.nodes.end());
  return std::any_of(b.nodes.begin(), b.nodes.end(),
                     [&](auto const& node) { return of_a.count(node) != 0; });
}

void judge_plugins(SlurmConfFacts const& facts, Config const& config,
                   SlurmSetup* setup) {
  setup->guarded = list_has(facts.job_submit_plugins, "gleaner") ||
                   list_has(facts.job_submit_plugins, "job_submit/gleaner");
  if (!setup->guarded)
    setup->errors.push_back(
        "JobSubmitPlugins='" + facts.job_submit_plugins +
        "' lacks gleaner (nothing keeps users out of the lease partition, so "
        "no lease is made) [add it and restart slurmctld]");
  if (!list_has(facts.prep_plugins, "prep/gleaner") &&
      !list_has(facts.prep_plugins, "gleaner"))
    setup->warnings.push_back(
        "PrEpPlugins='" + facts.prep_plugins +
        "' lacks prep/gleaner (freed nodes are noticed only at the next look, "
        "scan_interval_ms) [add it, after prep/script]");
  bool const wraps = facts.scheduler_type == "sched/gleaner" ||
                     facts.scheduler_type == "sched/backfill";
  if (config.scavenger == "plugin" && !wraps)
    setup->errors.push_back("SchedulerType='" + facts.scheduler_type +
                            "' runs no scavenger (no hole is ever found) [set "
                            "scavenger: poll, or SchedulerType=sched/gleaner]");
}

void judge_reservation(SlurmConfFacts const& facts, Config const& config,
                       SlurmSetup* setup) {
  setup->licensed = list_has(facts.licences, config.licence);
  if (!setup->licensed)
    setup->errors.push_back(
        "Licenses='" + facts.licences + "' lacks '" + config.licence +
        "' (without it there is no reservation, and a lease waits for the next "
        "backfill cycle) [add " +
        config.licence + ":1]");
}

void judge_scheduling(SlurmConfFacts const& facts, SlurmSetup* setup) {
  if (list_has(facts.scheduler_parameters, "defer"))
    setup->errors.push_back(
        "SchedulerParameters has defer (Slurm then grants nothing at once, so "
        "no lease is ever granted) [remove it]");
  if (facts.complete_wait_s > 0)
    setup->warnings.push_back(
        "CompleteWait=" + std::to_string(facts.complete_wait_s) +
        " (leases are refused that long after any job ends) [set it to 0]");
  bool const by_partition = facts.preempt_type == "preempt/partition_prio";
  if (!by_partition && facts.preempt_type != "preempt/qos")
    setup->errors.push_back(
        "PreemptType='" + facts.preempt_type +
        "' (jobs that want a leased node could not take it) [set "
        "PreemptType=preempt/partition_prio]");
}

void judge_lease_partition(PartitionFacts const& lease, SlurmSetup* setup) {
  auto const name = "partition '" + lease.name + "' ";
  if (lease.preempt != Preempt::cancel)
    setup->errors.push_back(name +
                            "lacks PreemptMode=CANCEL (jobs that want a leased "
                            "node could not take it) [set it]");
  if (lease.grace_time_s > 0)
    setup->errors.push_back(
        name + "has GraceTime=" + std::to_string(lease.grace_time_s) +
        " (Slurm looks at it every 30 s only, so jobs would wait that long) "
        "[set GraceTime=0]");
  if (lease.is_default)
    setup->errors.push_back(name +
                            "is the default partition (every job without a "
                            "partition would be refused) [make another one]");
  if (!lease.needs_reservation)
    setup->warnings.push_back(
        name + "lacks ReqResv=YES, the second lock on it [set it]");
}

/// The partitions whose nodes are lent.
void judge_others(SlurmConfFacts const& facts, PartitionFacts const& lease,
                  SlurmSetup* setup) {
  for (auto const& other : facts.partitions) {
    if (other.name == lease.name) continue;
    auto const name = "partition '" + other.name + "' ";
    if (facts.preempt_type == "preempt/partition_prio" &&
        other.preempt != Preempt::off)
      setup->warnings.push_back(
          name +
          "lacks PreemptMode=OFF (PreemptType counts for all partitions: "
          "higher tiers may cancel its jobs) [set it, unless that is meant]");
    if (!share_nodes(lease, other)) continue;
    if (other.priority_tier <= lease.priority_tier)
      setup->errors.push_back(
          name + "has PriorityTier=" + std::to_string(other.priority_tier) +
          ", not above that of '" + lease.name + "', " +
          std::to_string(lease.priority_tier) +
          " (its jobs could not take leased nodes) [raise it]");
  }
}

}  // namespace

bool list_has(std::string_view list, std::string_view item) {
  if (item.empty()) return false;
  while (!list.empty()) {
    auto const end = std::min(list.find_first_of(",;|"), list.size());
    auto entry = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    while (!entry.empty() && entry.front() == ' ') entry.remove_prefix(1);
    entry = entry.substr(0, entry.find_first_of(":=@ "));
    if (entry == item) return true;
  }
  return false;
}

SlurmSetup judge_setup(SlurmConfFacts const& facts, Config const& config) {
  SlurmSetup setup;
  setup.version = facts.version;
  judge_plugins(facts, config, &setup);
  judge_reservation(facts, config, &setup);
  judge_scheduling(facts, &setup);
  if (auto const* lease = find(facts, config.lease_partition)) {
    judge_lease_partition(*lease, &setup);
    judge_others(facts, *lease, &setup);
  } else {
    setup.errors.push_back("there is no partition '" + config.lease_partition +
                           "' [define it, or set lease_partition]");
  }
  if (!find(facts, config.head_partition))
    setup.errors.push_back("there is no partition '" + config.head_partition +
                           "' for the batch jobs of trainers [define it, or "
                           "set head_partition]");
  return setup;
}

}  // namespace gleaner
