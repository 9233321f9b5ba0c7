// SPDX-License-Identifier: Apache-2.0
/// Are our plugins loaded, in a sound order, by the Slurm they were built for?
#include "slurm/setup_rules.hh"

namespace gleaner::slurm::setup {
namespace {

/// "24.11" of "24.11.5"
std::string release_of(std::string const& version) {
  auto const first = version.find('.');
  auto const second = version.find('.', first == version.npos ? 0 : first + 1);
  return version.substr(0, second);
}

bool has_plugin(std::string const& list, std::string const& kind,
                std::string const& name) {
  return list_has(list, name) || list_has(list, kind + "/" + name);
}

void judge_job_submit(SlurmConfFacts const& facts, Findings& findings) {
  auto const& list = facts.job_submit_plugins;
  auto& setup = findings.setup();
  setup.guarded = has_plugin(list, "job_submit", "gleaner");
  if (!setup.guarded)
    return findings.refuse(
        "JobSubmitPlugins",
        "JobSubmitPlugins=" + quoted(list) +
            " lacks gleaner (nothing keeps users out of the lease partition, "
            "so no lease is made)",
        "JobSubmitPlugins=" + joined(list, "gleaner") +
            ", and restart slurmctld");
  if (has_plugin(list, "job_submit", "all_partitions"))
    return findings.refuse(
        "JobSubmitPlugins",
        "JobSubmitPlugins=" + quoted(list) +
            " has all_partitions (it puts every job that names no partition "
            "into the lease partition too, where it is refused)",
        "take all_partitions out, and make one partition Default=YES");
  findings.ok("JobSubmitPlugins", list);
}

}  // namespace

void judge_release(SlurmConfFacts const& facts, Config const&,
                   Findings& findings) {
  if (facts.built_for.empty() ||
      release_of(facts.built_for) == release_of(facts.version))
    return findings.ok("Slurm", facts.version);
  findings.refuse("Slurm",
                  "slurmctld is " + facts.version + ", Gleaner was built for " +
                      facts.built_for +
                      " (Slurm loads plugins of its own release only)",
                  "build Gleaner again with the headers of " + facts.version);
}

void judge_plugins(SlurmConfFacts const& facts, Config const& config,
                   Findings& findings) {
  judge_job_submit(facts, findings);
  if (has_plugin(facts.prep_plugins, "prep", "gleaner"))
    findings.ok("PrEpPlugins", facts.prep_plugins);
  else if (config.scavenger == Config::Scavenger::plugin)
    findings.warn("PrEpPlugins",
                  "PrEpPlugins=" + quoted(facts.prep_plugins) +
                      " lacks prep/gleaner (freed nodes are noticed only at "
                      "the next look, scan_interval_ms)",
                  "PrEpPlugins=prep/script,prep/gleaner");
  bool const wraps = facts.scheduler_type == "sched/gleaner" ||
                     facts.scheduler_type == "sched/backfill";
  if (config.scavenger != Config::Scavenger::plugin || wraps)
    return findings.ok("SchedulerType", facts.scheduler_type);
  findings.refuse("SchedulerType",
                  "SchedulerType=" + quoted(facts.scheduler_type) +
                      " runs no scavenger (no hole is ever found)",
                  "SchedulerType=sched/gleaner, or in gleaner.yaml "
                  "scavenger: poll");
}

}  // namespace gleaner::slurm::setup
