// SPDX-License-Identifier: Apache-2.0
/// How the coordinator asks Slurm for a lease.
#include "runtime/coordinator/lease_command.hh"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace gleaner {
namespace {

bool belongs_to_base_job(std::string_view entry) {
  static constexpr std::array<std::string_view, 9> prefixes = {
      "SLURM_", "SLURMD_",       "SRUN_", "SBATCH_", "SALLOC_",
      "SPANK_", "_SLURM_SPANK_", "PMI",   "PRTE_"};
  auto const name = entry.substr(0, entry.find('='));
  if (name == "SLURM_CONF") return false;
  if (name.ends_with("_VISIBLE_DEVICES")) return true;
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](auto prefix) { return name.starts_with(prefix); });
}

}  // namespace

std::vector<std::string> scrubbed_environment(
    std::vector<std::string> const& env) {
  std::vector<std::string> kept;
  std::copy_if(env.begin(), env.end(), std::back_inserter(kept),
               [](auto const& entry) { return !belongs_to_base_job(entry); });
  return kept;
}

std::vector<std::string> charge_options(std::vector<std::string> const& env) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 2>
      table = {
          {{"SLURM_JOB_ACCOUNT=", "--account="}, {"SLURM_JOB_QOS=", "--qos="}}};
  std::vector<std::string> options;
  for (auto const& [variable, option] : table)
    for (std::string_view const entry : env)
      if (entry.starts_with(variable) && entry.size() > variable.size())
        options.push_back(std::string(option) +
                          std::string(entry.substr(variable.size())));
  return options;
}

std::vector<std::string> lease_command(msg::Grant const& grant,
                                       std::vector<std::string> const& options,
                                       std::string const& agent) {
  std::vector<std::string> argv = {
      "srun",
      "--quiet",
      "--job-name=gleaner-lease",
      "--nodes=1",
      "--ntasks=1",
      "--exclusive",
      "--mem=0",
      // A lease that waits would block others; a refusal comes at once.
      "--immediate",
      "--cpu-bind=none",
      "--input=none",
      // The agent's own exit says what happened; no second step, no retry.
      "--kill-on-bad-exit=0",
      "--nodelist=" + grant.node,
      "--time=" + std::to_string(grant.minutes),
      "--comment=" + grant.ticket,
  };
  argv.insert(argv.end(), options.begin(), options.end());
  argv.push_back(agent);
  return argv;
}

}  // namespace gleaner
