// SPDX-License-Identifier: Apache-2.0
#include "doctor/findings_view.hh"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace gleaner::doctor {
namespace {

using Severity = slurm::Finding::Severity;

/// ok      PreemptType: preempt/partition_prio
/// refuse  CompleteWait=10 (…)
///         -> CompleteWait=0
std::string lines_of(slurm::Finding const& finding) {
  std::string label = slurm::name_of(finding.severity);
  label.resize(8, ' ');
  if (finding.severity == Severity::ok)
    return label + finding.setting + ": " + finding.what + "\n";
  return label + finding.what + "\n        -> " + finding.remedy + "\n";
}

std::string verdict(slurm::SlurmSetup const& setup, Config const& config) {
  if (setup.refuses())
    return "gleanerd would lend nothing here: change what is marked refuse";
  if (config.mode == Config::Mode::observe)
    return "nodes can be lent here; mode: observe lends none yet";
  return "nodes can be lent here";
}

std::string json_text(slurm::SlurmSetup const& setup, Config const& config) {
  auto findings = nlohmann::ordered_json::array();
  for (auto const& finding : setup.findings)
    findings.push_back({{"severity", slurm::name_of(finding.severity)},
                        {"setting", finding.setting},
                        {"what", finding.what},
                        {"remedy", finding.remedy}});
  nlohmann::ordered_json const all = {{"slurm", setup.version},
                                      {"verdict", verdict(setup, config)},
                                      {"findings", findings}};
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

}  // namespace

std::string findings_text(slurm::SlurmSetup const& setup, Config const& config,
                          Form form) {
  if (form == Form::json) return json_text(setup, config);
  auto findings = setup.findings;
  std::stable_sort(findings.begin(), findings.end(),
                   [](auto& a, auto& b) { return a.severity < b.severity; });
  std::string text;
  for (auto const& finding : findings)
    if (form == Form::text || finding.severity != Severity::ok)
      text += lines_of(finding);
  return text + verdict(setup, config) + "\n";
}

}  // namespace gleaner::doctor
