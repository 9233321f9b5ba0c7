// SPDX-License-Identifier: Apache-2.0
/// All rules for a site's configuration, in the order a person reads them.
#include "slurm/setup.hh"

#include <algorithm>
#include <charconv>

#include "slurm/setup_rules.hh"

namespace gleaner::slurm {
namespace {

/// Calls `visit(entry)` for each entry of a list, without spaces before it;
/// stops when that returns true, and tells whether it did.
template <class Visit>
bool any_entry(std::string_view list, Visit visit) {
  while (!list.empty()) {
    auto const end = std::min(list.find_first_of(",;|"), list.size());
    auto entry = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    while (!entry.empty() && entry.front() == ' ') entry.remove_prefix(1);
    if (visit(entry)) return true;
  }
  return false;
}

}  // namespace

bool list_has(std::string_view list, std::string_view item) {
  if (item.empty()) return false;
  return any_entry(list, [item](std::string_view entry) {
    return entry.substr(0, entry.find_first_of(":=@ ")) == item;
  });
}

std::optional<int> list_number(std::string_view list, std::string_view item) {
  std::optional<int> found;
  any_entry(list, [&](std::string_view entry) {
    auto const equals = entry.find('=');
    if (equals == entry.npos || entry.substr(0, equals) != item) return false;
    int number = 0;
    auto const text = entry.substr(equals + 1);
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec ==
        std::errc())
      found = number;
    return found.has_value();
  });
  return found;
}

char const* name_of(Finding::Severity severity) {
  switch (severity) {
    case Finding::Severity::ok:
      return "ok";
    case Finding::Severity::warn:
      return "warn";
    case Finding::Severity::refuse:
      return "refuse";
  }
  return "refuse";
}

bool SlurmSetup::refuses() const {
  return std::any_of(findings.begin(), findings.end(), [](auto& finding) {
    return finding.severity == Finding::Severity::refuse;
  });
}

SlurmSetup judge_setup(SlurmConfFacts const& facts, Config const& config) {
  SlurmSetup result;
  result.version = facts.version;
  result.plugin_dirs = facts.plugin_dirs;
  result.counts_memory = facts.counts_memory;
  result.preempt_again_s = facts.kill_wait_s + facts.message_timeout_s;
  setup::Findings findings(&result);
  for (auto* rule :
       {setup::judge_release, setup::judge_plugins, setup::judge_preempt_type,
        setup::judge_exemptions, setup::judge_victims, setup::judge_partitions,
        setup::judge_exclusive, setup::judge_parts, setup::judge_scheduling,
        setup::judge_reservation, setup::judge_scripts, setup::judge_records,
        setup::judge_rpc_limits, setup::judge_time_limits,
        setup::judge_accounting, setup::judge_federation, setup::judge_host})
    rule(facts, config, findings);
  return result;
}

PartitionFacts const* setup::find(SlurmConfFacts const& facts,
                                  std::string const& name) {
  for (auto const& partition : facts.partitions)
    if (partition.name == name) return &partition;
  return nullptr;
}

}  // namespace gleaner::slurm
