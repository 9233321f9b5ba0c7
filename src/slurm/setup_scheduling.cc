// SPDX-License-Identifier: Apache-2.0
/// Do leases start at once, and do jobs find the nodes kept for them?
#include <cmath>

#include "slurm/setup_rules.hh"

namespace gleaner::setup {
namespace {

constexpr int bf_interval_s_default = 30;

std::string seconds(double s) {
  return std::to_string(static_cast<long>(std::lround(s)));
}

}  // namespace

void judge_scheduling(SlurmConfFacts const& facts, Config const& config,
                      Findings& findings) {
  if (list_has(facts.scheduler_parameters, "defer"))
    findings.refuse("SchedulerParameters",
                    "SchedulerParameters has defer (Slurm then grants nothing "
                    "at once, so no lease is ever granted)",
                    "take defer out; defer_batch keeps its use");
  if (facts.complete_wait_s > 0)
    findings.warn("CompleteWait",
                  "CompleteWait=" + std::to_string(facts.complete_wait_s) +
                      " (leases are refused that long after any job ends)",
                  "CompleteWait=0");
  else
    findings.ok("CompleteWait", "0");
  auto const interval_s = list_number(facts.scheduler_parameters, "bf_interval")
                              .value_or(bf_interval_s_default);
  findings.setup().bf_interval_s = interval_s;
  if (config.arrival_hold_s == 0)
    findings.ok("bf_interval", std::to_string(interval_s) +
                                   " s, and arrival_hold_s follows it");
  else if (config.arrival_hold_s < interval_s)
    findings.warn("bf_interval",
                  "bf_interval is " + std::to_string(interval_s) +
                      " s, arrival_hold_s " + seconds(config.arrival_hold_s) +
                      " s (a node given back for a job that backfill starts "
                      "may be lent again before its cycle)",
                  "in gleaner.yaml arrival_hold_s: 0");
  else
    findings.ok("bf_interval",
                std::to_string(interval_s) + " s, not above arrival_hold_s");
  if (!facts.mcs_plugin.empty() && facts.mcs_plugin != "mcs/none")
    findings.warn("MCSPlugin",
                  "MCSPlugin=" + quoted(facts.mcs_plugin) +
                      " (leases with a label keep others off their node; not "
                      "tested together)",
                  "MCSPlugin=mcs/none");
}

void judge_reservation(SlurmConfFacts const& facts, Config const& config,
                       Findings& findings) {
  findings.setup().licensed = list_has(facts.licences, config.licence);
  if (!findings.setup().licensed)
    return findings.refuse(
        "Licenses",
        "Licenses=" + quoted(facts.licences) + " lacks '" + config.licence +
            "' (without it there is no reservation, and a lease waits for the "
            "next backfill cycle)",
        "Licenses=" + joined(facts.licences, config.licence + ":1"));
  findings.ok("Licenses", facts.licences);
  findings.ok("reservation " + config.reservation,
              facts.has_reservation
                  ? "is there"
                  : "not there: gleanerd makes it in mode on");
}

/// Slurm runs them for each lease as for any job.
void judge_scripts(SlurmConfFacts const& facts, Config const& config,
                   Findings& findings) {
  auto const exempt = "let them end at once if SLURM_JOB_PARTITION is " +
                      config.lease_partition +
                      ", or in gleaner.yaml add their time to release_lead_s";
  for (auto const& path : facts.epilogs)
    findings.warn("Epilog",
                  "Epilog=" + path +
                      " (it runs after every lease, and the node is free only "
                      "then)",
                  exempt);
  for (auto const& path : facts.prologs)
    findings.warn("Prolog", "Prolog=" + path + " (it runs before every lease)",
                  exempt);
  for (auto const& path : facts.ctl_scripts)
    findings.warn("PrologSlurmctld, EpilogSlurmctld",
                  path + " (slurmctld starts it for every lease, and waits)",
                  exempt);
  if (facts.epilogs.empty() && facts.prologs.empty() &&
      facts.ctl_scripts.empty())
    findings.ok("Prolog, Epilog", "none");
}

}  // namespace gleaner::setup
