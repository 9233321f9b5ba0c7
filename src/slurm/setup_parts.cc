// SPDX-License-Identifier: Apache-2.0
/// Where leases may be parts of nodes: do jobs get exactly the parts they need?
#include "slurm/setup_rules.hh"

namespace gleaner::slurm::setup {
namespace {

constexpr char whole[] = "in gleaner.yaml lease: whole";

/// Jobs that no lease is preempted for would wait for the lease's end.
void judge_walls(SlurmConfFacts const& facts, Config const& config,
                 Findings& findings) {
  if (!facts.mcs_plugin.empty() && facts.mcs_plugin != "mcs/none")
    findings.refuse("lease",
                    "lease: parts with MCSPlugin=" + quoted(facts.mcs_plugin) +
                        " (a lease with a label keeps others off its node, and "
                        "Slurm does not preempt it for them)",
                    whole);
  auto const* lease = find(facts, config.lease_partition);
  if (!lease) return;
  if (lease->one_job_a_node)
    findings.refuse("PartitionName=" + lease->name,
                    "lease: parts with OverSubscribe=EXCLUSIVE in partition " +
                        quoted(lease->name) +
                        " (Slurm then gives a lease its whole node)",
                    "PartitionName=" + lease->name + " … OverSubscribe=NO");
}

}  // namespace

void judge_parts(SlurmConfFacts const& facts, Config const& config,
                 Findings& findings) {
  if (config.lease != Config::Lease::parts)
    return findings.ok("lease", "whole: a lease takes a node");
  findings.ok("lease", "parts: a lease takes GPUs of a node");
  if (facts.select_type != "select/cons_tres")
    findings.refuse("SelectType",
                    "lease: parts with SelectType=" + facts.select_type +
                        " (it does not allocate GPUs to jobs side by side)",
                    std::string("SelectType=select/cons_tres, or ") + whole);
  judge_walls(facts, config, findings);
  auto const reorders = reorder_count(facts);
  if (reorders < config.parts_per_node_max)
    findings.warn(
        "PreemptParameters",
        "reorder_count=" + std::to_string(reorders) +
            " is less than parts_per_node_max: " +
            std::to_string(config.parts_per_node_max) +
            " (where Slurm preempts by itself it may take more leases of a "
            "node than a job needs)",
        "PreemptParameters=reorder_count=" +
            std::to_string(config.parts_per_node_max) +
            "; before 23.02 SchedulerParameters=preempt_reorder_count");
  if (!list_has(facts.task_plugin, "task/cgroup") &&
      !list_has(facts.task_plugin, "task/affinity"))
    findings.warn("TaskPlugin",
                  "TaskPlugin=" + quoted(facts.task_plugin) +
                      " (nothing keeps jobs and leases on one node to the CPUs "
                      "they were given)",
                  "TaskPlugin=task/cgroup,task/affinity, and "
                  "ConstrainCores=yes, ConstrainDevices=yes in cgroup.conf");
  if (!facts.counts_memory)
    findings.warn("SelectTypeParameters",
                  "memory is not allocated to jobs (those on one node, leases "
                  "among them, may together use more than it has)",
                  "SelectTypeParameters=CR_Core_Memory");
}

}  // namespace gleaner::slurm::setup
