// SPDX-License-Identifier: Apache-2.0
#include "doctor/plugin_files.hh"

#include <unistd.h>

#include <sstream>

#include "slurm/symbols.hh"

namespace gleaner::doctor {
namespace {

using Severity = slurm::Finding::Severity;

constexpr char const* plugins[] = {"sched_gleaner.so", "job_submit_gleaner.so",
                                   "prep_gleaner.so"};

std::vector<std::string> split(std::string const& list) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ':');)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

bool is_there(std::string const& path) {
  return access(path.c_str(), R_OK) == 0;
}

/// "" when it is not on this machine.
std::string find_slurmctld() {
  for (auto const* path : {"/usr/sbin/slurmctld", "/usr/local/sbin/slurmctld",
                           "/opt/slurm/sbin/slurmctld"})
    if (is_there(path)) return path;
  return "";
}

slurm::Finding judge(std::string const& path, std::string const& slurmctld) {
  auto const missing = slurm::missing_symbols(path, slurmctld);
  std::string const rebuild = "build Gleaner again for this Slurm";
  if (!missing) return {Severity::warn, path, missing.error().message, rebuild};
  if (missing->empty()) return {Severity::ok, path, "can be loaded", ""};
  std::string names;
  for (auto const& name : *missing) names += (names.empty() ? "" : ", ") + name;
  return {Severity::refuse, path,
          path + " needs " + names + ", which " + slurmctld +
              " does not have (slurmctld would not start)",
          rebuild};
}

}  // namespace

std::vector<slurm::Finding> judge_plugin_files(std::string const& plugin_dirs,
                                               std::string const& slurmctld) {
  std::vector<slurm::Finding> findings;
  for (auto const* name : plugins)
    for (auto const& dir : split(plugin_dirs)) {
      auto const path = dir + "/" + name;
      if (!is_there(path)) continue;
      findings.push_back(judge(path, slurmctld));
      break;  // Slurm takes the first
    }
  if (findings.empty())
    findings.push_back(
        {Severity::warn, "PluginDir",
         "PluginDir=" + plugin_dirs + " has no plugin of Gleaner",
         "PluginDir=PREFIX/lib/gleaner/plugins:" + plugin_dirs});
  return findings;
}

std::vector<slurm::Finding> judge_plugin_files(std::string const& plugin_dirs) {
  auto const slurmctld = find_slurmctld();
  if (slurmctld.empty()) return {};
  return judge_plugin_files(plugin_dirs, slurmctld);
}

}  // namespace gleaner::doctor
