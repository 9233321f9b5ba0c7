// SPDX-License-Identifier: Apache-2.0
/// Is this one cluster, with one clock, whose key is at hand?
#include <cmath>
#include <cstdio>

#include "slurm/setup_rules.hh"

namespace gleaner::slurm::setup {
namespace {

constexpr double clock_s_warned = 1;

void judge_clocks(SlurmConfFacts const& facts, Config const& config,
                  Findings& findings) {
  if (!facts.clock_ahead_s) return;
  double const ahead_s = *facts.clock_ahead_s;
  char what[128];
  std::snprintf(what, sizeof what, "this machine is %.0f s %s slurmctld's",
                std::abs(ahead_s), ahead_s < 0 ? "behind" : "ahead of");
  // Slurm tells whole seconds.
  if (std::abs(ahead_s) > config.ticket_valid_s / 2)
    findings.refuse("clocks",
                    std::string(what) +
                        " (tickets would be refused as old, "
                        "and plans mistaken)",
                    "run chrony or ntpd on both");
  else if (std::abs(ahead_s) > clock_s_warned + 1)
    findings.warn("clocks", std::string(what) + " (nodes come back that late)",
                  "run chrony or ntpd on both");
  else
    findings.ok("clocks", "within a second of slurmctld's");
}

/// Clients trust only a gleanerd of root or of slurm_user.
void judge_slurm_user(SlurmConfFacts const& facts, Config const& config,
                      Findings& findings) {
  auto const& user = facts.slurm_user;
  if (user.empty()) return;
  if (user == "root" || user == config.slurm_user)
    return findings.ok("slurm_user", user);
  findings.refuse("slurm_user",
                  "SlurmUser is " + quoted(user) + ", slurm_user " +
                      quoted(config.slurm_user) +
                      " (no training would believe gleanerd)",
                  "in gleaner.yaml slurm_user: " + user);
}

/// A batch job of a training holds an srun for each of its nodes.
void judge_head_memory(SlurmConfFacts const& facts, Config const& config,
                       Findings& findings) {
  auto const nodes = static_cast<std::int64_t>(findings.setup().nodes.size());
  auto const needed_mb =
      config.head_memory_mb + config.head_memory_per_node_mb * nodes;
  auto const what = "a training of all " + std::to_string(nodes) +
                    " nodes takes " + std::to_string(needed_mb) +
                    " MB of a head node, the largest seen has " +
                    std::to_string(facts.head_memory_mb) + " MB";
  if (facts.head_memory_mb == 0) return;
  if (needed_mb <= facts.head_memory_mb)
    return findings.ok("head_memory_mb", what);
  findings.warn("head_memory_mb", what + " (larger ones never start)",
                "a head node with more memory, or in gleaner.yaml a lower "
                "head_memory_per_node_mb");
}

}  // namespace

void judge_federation(SlurmConfFacts const& facts, Config const&,
                      Findings& findings) {
  if (facts.federation.empty()) return findings.ok("federation", "none");
  findings.refuse("federation",
                  "the cluster is in federation " + quoted(facts.federation) +
                      " (Slurm starts no job at once there, so no lease is "
                      "ever granted)",
                  "sacctmgr modify federation " + facts.federation +
                      " set clusters-=CLUSTER");
}

void judge_host(SlurmConfFacts const& facts, Config const& config,
                Findings& findings) {
  judge_clocks(facts, config, findings);
  judge_slurm_user(facts, config, findings);
  judge_head_memory(facts, config, findings);
  if (!facts.key_file_system.empty())
    findings.refuse("state_dir",
                    config.state_dir + " is on " + facts.key_file_system +
                        " (slurmctld reads ticket.key under its locks, and "
                        "hangs when that file system does)",
                    "in gleaner.yaml a state_dir on a local disk");
  if (list_has(facts.slurmctld_parameters, "enable_configless"))
    findings.warn("enable_configless",
                  "slurmd fetches slurm.conf, but not gleaner.yaml",
                  "put gleaner.yaml at /etc/slurm/gleaner.yaml on head, login "
                  "and compute nodes, or set GLEANER_CONF");
  if (facts.has_backup)
    findings.warn("SlurmctldHost",
                  "there is a backup controller (after fail-over no lease "
                  "starts until a gleanerd runs beside it)",
                  "see \"A backup controller\" in doc/admin.md");
}

}  // namespace gleaner::slurm::setup
