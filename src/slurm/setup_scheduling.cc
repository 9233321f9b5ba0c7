// SPDX-License-Identifier: Apache-2.0
/// Do leases start at once, and do jobs find the nodes kept for them?
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "slurm/setup_rules.hh"

namespace gleaner::slurm::setup {
namespace {

constexpr int bf_interval_s_default = 30;
constexpr int sched_min_interval_us_default = 2;
constexpr int sched_min_interval_us_least = 1000000;
constexpr int sched_min_interval_us_wanted = 2000000;
constexpr std::int64_t many_leases = 100;

std::string seconds(double s) {
  return std::to_string(static_cast<long>(std::lround(s)));
}

/// As many as can run side by side.
std::int64_t leases_most(Config const& config, std::size_t nodes) {
  auto const each = std::max(1, parts_per_node(config));
  auto const places = static_cast<std::int64_t>(nodes) * each;
  return config.leases_max > 0
             ? std::min<std::int64_t>(places, config.leases_max)
             : places;
}

/// The end of each lease makes slurmctld look at its queue at once.  The job
/// that preempted them is then tried against every lease again, under the locks
/// that the next end waits for: about one lease ends for each look.
void judge_looks_at_queue(SlurmConfFacts const& facts, Config const& config,
                          Findings& findings) {
  auto const us = list_number(facts.scheduler_parameters, "sched_min_interval")
                      .value_or(sched_min_interval_us_default);
  auto const leases = leases_most(config, findings.setup().nodes.size());
  auto const what = "sched_min_interval is " + std::to_string(us) +
                    " microseconds, and there may be " +
                    std::to_string(leases) + " leases";
  if (leases <= many_leases || us >= sched_min_interval_us_least)
    return findings.ok("sched_min_interval", what);
  findings.warn("sched_min_interval",
                what +
                    " (slurmctld looks at its queue after each lease that "
                    "ends, and a job that takes hundreds waits minutes)",
                "SchedulerParameters=…,sched_min_interval=" +
                    std::to_string(sched_min_interval_us_wanted));
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
  judge_looks_at_queue(facts, config, findings);
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

}  // namespace gleaner::slurm::setup
