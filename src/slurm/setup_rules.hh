// SPDX-License-Identifier: Apache-2.0
/// The rules for a site's configuration, by the question they answer.
///
/// Private to setup*.cc.  Each rule says at least one thing, "ok" included, so
/// that `gleaner doctor` shows what was looked at.
#pragma once

#include <string>
#include <utility>

#include "slurm/setup.hh"

namespace gleaner::slurm::setup {

/// Collects findings.
class Findings {
 public:
  explicit Findings(SlurmSetup* setup) : setup_(setup) {}

  void ok(std::string setting, std::string what) {
    add(Finding::Severity::ok, std::move(setting), std::move(what), "");
  }
  void warn(std::string setting, std::string what, std::string remedy) {
    add(Finding::Severity::warn, std::move(setting), std::move(what),
        std::move(remedy));
  }
  void refuse(std::string setting, std::string what, std::string remedy) {
    add(Finding::Severity::refuse, std::move(setting), std::move(what),
        std::move(remedy));
  }

  SlurmSetup& setup() { return *setup_; }

 private:
  void add(Finding::Severity severity, std::string setting, std::string what,
           std::string remedy) {
    setup_->findings.push_back(
        {severity, std::move(setting), std::move(what), std::move(remedy)});
  }

  SlurmSetup* setup_;
};

/// A rule looks at the facts and says what it found.
using Rule = void(SlurmConfFacts const&, Config const&, Findings&);

Rule judge_release, judge_plugins;                         // setup_plugins.cc
Rule judge_preempt_type, judge_exemptions, judge_victims;  // setup_preempt.cc
Rule judge_partitions;                                    // setup_partitions.cc
Rule judge_scheduling, judge_reservation, judge_scripts;  // setup_scheduling.cc
Rule judge_records, judge_rpc_limits, judge_time_limits;  // setup_limits.cc
Rule judge_accounting;                                    // setup_accounting.cc
Rule judge_federation, judge_host;                        // setup_host.cc
Rule judge_parts;                                         // setup_parts.cc
Rule judge_exclusive;                                     // setup_exclusive.cc

/// The partition of this name, or null.
PartitionFacts const* find(SlurmConfFacts const& facts,
                           std::string const& name);

/// Is some node in both?
bool share_nodes(PartitionFacts const& a, PartitionFacts const& b);

/// reorder_count of PreemptParameters; before 23.02 it was among
/// SchedulerParameters.
int reorder_count(SlurmConfFacts const& facts);

/// "'lua'"
inline std::string quoted(std::string const& text) { return "'" + text + "'"; }

/// "lua" and "gleaner" as "lua,gleaner"
inline std::string joined(std::string const& list, std::string const& item) {
  return list.empty() || list == "(null)" ? item : list + "," + item;
}

}  // namespace gleaner::slurm::setup
