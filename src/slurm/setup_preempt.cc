// SPDX-License-Identifier: Apache-2.0
/// Can every job of the site take a leased node at once?
#include <algorithm>

#include "slurm/setup_rules.hh"

namespace gleaner::slurm::setup {
namespace {

constexpr int kill_wait_s_usual = 30;
constexpr int reorders_max = 5;

QosFacts const* find_qos(SlurmConfFacts const& facts, std::string const& name) {
  if (!facts.accounting) return nullptr;
  for (auto const& qos : facts.accounting->qos)
    if (qos.name == name) return &qos;
  return nullptr;
}

/// With preempt/qos a job may take a lease only if its QOS lists the leases'.
void judge_qos(SlurmConfFacts const& facts, Config const& config,
               Findings& findings) {
  auto const& name = config.lease_qos;
  if (name.empty())
    return findings.refuse(
        "PreemptType",
        "PreemptType=preempt/qos, and lease_qos is empty (leases then have "
        "their users' QOS, and no job could take them)",
        "sacctmgr add qos gleaner, and in gleaner.yaml lease_qos: gleaner");
  auto const* leases = find_qos(facts, name);
  if (!leases) return;  // setup_accounting.cc says so
  if (!leases->cancels)
    findings.refuse("QOS " + name,
                    "QOS " + quoted(name) +
                        " has a PreemptMode other than cancel (its nodes "
                        "would not come free)",
                    "sacctmgr modify qos " + name + " set PreemptMode=cancel");
  std::string unable;
  for (auto const& qos : facts.accounting->qos) {
    if (qos.name == name) continue;
    if (std::find(qos.preempts.begin(), qos.preempts.end(), name) ==
        qos.preempts.end())
      unable += (unable.empty() ? "" : ",") + qos.name;
  }
  if (!unable.empty())
    return findings.refuse(
        "QOS " + name,
        "jobs of QOS " + unable + " cannot preempt leases, of QOS " +
            quoted(name) + " (they would wait for leased nodes)",
        "sacctmgr modify qos " + unable + " set preempt+=" + name);
  findings.ok("PreemptType", "preempt/qos; every QOS preempts " + name);
}

}  // namespace

int reorder_count(SlurmConfFacts const& facts) {
  auto const before =
      list_number(facts.scheduler_parameters, "preempt_reorder_count");
  return list_number(facts.preempt_parameters, "reorder_count")
      .value_or(before.value_or(1));
}

void judge_preempt_type(SlurmConfFacts const& facts, Config const& config,
                        Findings& findings) {
  if (facts.preempt_type == "preempt/qos")
    return judge_qos(facts, config, findings);
  if (facts.preempt_type == "preempt/partition_prio")
    return findings.ok("PreemptType", facts.preempt_type);
  findings.refuse("PreemptType",
                  "PreemptType=" + quoted(facts.preempt_type) +
                      " (jobs that want a leased node could not take it)",
                  "PreemptType=preempt/partition_prio");
}

/// What shields running jobs from preemption shields leases.
void judge_exemptions(SlurmConfFacts const& facts, Config const& config,
                      Findings& findings) {
  auto const seconds = std::to_string(facts.preempt_exempt_s);
  if (facts.preempt_exempt_s > 0)
    findings.refuse("PreemptExemptTime",
                    "PreemptExemptTime=" + seconds +
                        " (jobs would wait that long for a node that was "
                        "just lent)",
                    "PreemptExemptTime=0, and PreemptExemptTime of the QOS "
                    "that are to be exempt");
  else
    findings.ok("PreemptExemptTime", "0");
  if (auto const* qos = find_qos(facts, config.lease_qos)) {
    if (qos->exempt_s > 0)
      findings.refuse(
          "QOS " + qos->name,
          "QOS " + quoted(qos->name) +
              " has PreemptExemptTime=" + std::to_string(qos->exempt_s) +
              " (jobs would wait that long for a leased node)",
          "sacctmgr modify qos " + qos->name + " set PreemptExemptTime=-1");
    if (qos->grace_time_s > 0)
      findings.refuse("QOS " + qos->name,
                      "QOS " + quoted(qos->name) + " has GraceTime=" +
                          std::to_string(qos->grace_time_s) +
                          " (Slurm looks at it every 30 s only, so jobs would "
                          "wait that long)",
                      "sacctmgr modify qos " + qos->name + " set GraceTime=0");
  }
  auto const exempt =
      list_number(facts.preempt_parameters, "min_exempt_priority");
  if (exempt)
    findings.refuse(
        "PreemptParameters",
        "PreemptParameters has min_exempt_priority=" + std::to_string(*exempt) +
            " (leases of a higher priority could not be taken)",
        "take it out");
}

/// How Slurm chooses among leases, and how it ends those chosen.
void judge_victims(SlurmConfFacts const& facts, Config const& config,
                   Findings& findings) {
  auto const has = [&](char const* now, char const* before) {
    return list_has(facts.preempt_parameters, now) ||
           list_has(facts.scheduler_parameters, before);
  };
  if (has("youngest_first", "preempt_youngest_first"))
    findings.warn("PreemptParameters",
                  "youngest_first is set (gleanerd gives back the oldest lease "
                  "first, so Slurm may take another one without notice)",
                  "take it out");
  auto const reorders = reorder_count(facts);
  if (reorders > std::max(reorders_max, parts_per_node(config)))
    findings.warn("PreemptParameters",
                  "reorder_count=" + std::to_string(reorders) +
                      " (each is one more test of all leases, under "
                      "slurmctld's locks)",
                  "reorder_count=1");
  if (facts.kill_wait_s > kill_wait_s_usual)
    findings.warn("KillWait",
                  "KillWait=" + std::to_string(facts.kill_wait_s) +
                      " (a lease whose node hangs keeps a job waiting that "
                      "long)",
                  "KillWait=30");
  else
    findings.ok("KillWait", std::to_string(facts.kill_wait_s));
}

}  // namespace gleaner::slurm::setup
