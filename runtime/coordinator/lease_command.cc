// SPDX-License-Identifier: Apache-2.0
/// How the coordinator asks Slurm for a lease.
#include "runtime/coordinator/lease_command.hh"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/place.hh"
#include "runtime/coordinator/lease_options.hh"

namespace gleaner::coordinator {
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

/// How much of a node the option asks for, rather than of which node.
bool is_amount(std::string_view option) {
  option.remove_prefix(std::min<std::size_t>(2, option.size()));
  return is_lease_amount(option.substr(0, option.find('=')));
}

std::vector<std::string> amounts_of(Resources const& part) {
  // Slurm's choice of cores; without cgroups nothing else keeps the agent to
  // them.
  return {"--gres=" + to_string(part.gres),
          "--cpus-per-task=" + std::to_string(part.cpus),
          "--mem=" + std::to_string(part.memory_mb) + "M", "--cpu-bind=cores"};
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
      "srun", "--quiet", "--job-name=gleaner-lease", "--nodes=1", "--ntasks=1",
      // A lease that waits would block others; a refusal comes at once.
      "--immediate",
      // The secret comes on standard input (handed_secret.hh).
      "--input=all",
      // The agent's own exit says what happened; no second step, no retry.
      "--kill-on-bad-exit=0", "--nodelist=" + node_of(grant.node),
      "--time=" + std::to_string(grant.minutes), "--comment=" + grant.ticket};
  auto const add = [&argv](std::vector<std::string> const& words) {
    argv.insert(argv.end(), words.begin(), words.end());
  };
  add(grant.part ? amounts_of(*grant.part)
                 : std::vector<std::string>{"--exclusive", "--mem=0",
                                            "--cpu-bind=none"});
  std::copy_if(
      options.begin(), options.end(), std::back_inserter(argv),
      [&](auto const& word) { return !grant.part || !is_amount(word); });
  argv.push_back(agent);
  return argv;
}

}  // namespace gleaner::coordinator
