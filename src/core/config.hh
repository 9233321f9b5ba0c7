// SPDX-License-Identifier: Apache-2.0
/// gleaner.yaml: every key, its type, unit, default, bounds and meaning.
///
/// One table (option_table()) feeds the reader, `gleanerd --help`,
/// `gleanerd --check-config` and the test that gleaner.yaml(5) lists every key.
/// Read by gleanerd, the plugins, the coordinator and `gleaner`.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/choice.hh"
#include "core/result.hh"

namespace gleaner {

/// The effective configuration.  Field names are the keys.
struct Config {
  enum class Mode { on, observe };
  enum class Scavenger { plugin, poll };
  enum class Scaling { measured, assumed };
  enum class LendCloud { no, yes };
  enum class Lease { whole, parts };

  Mode mode = Mode::observe;
  std::string drained;  // nodes never lent: "n[1-4]"
  std::string run_dir;
  std::string state_dir;
  std::string listen;
  std::string address;
  std::string munge_socket;
  std::string slurm_user;
  std::string lease_partition;
  std::string head_partition;
  int head_memory_mb = 0;
  int head_memory_per_node_mb = 0;
  std::string reservation;
  std::string licence;
  std::string lease_account;
  std::string lease_qos;
  Scavenger scavenger = Scavenger::plugin;
  int scan_interval_ms = 0;
  int scan_gap_ms_min = 0;
  double scan_share_max = 0;
  std::string stock_backfill;
  std::string policy;  // gleaner | exact | freetrain | equal_share
  Scaling scaling = Scaling::measured;
  std::string problem_log;  // path; empty: none
  int problem_log_mb_max = 0;
  double forward_looking_s = 0;
  double profile_share = 0;
  double hole_s_min = 0;
  double expand_cost_s = 0;
  double shrink_cost_s = 0;
  double start_cost_s = 0;
  double release_lead_s = 0;
  double give_back_s = 0;
  double arrival_hold_s = 0;
  int arrival_notice_s = 2;  // 0: none
  int lease_minutes_max = 0;
  int leases_per_hour_max = 0;
  int leases_max = 0;           // 0: no cap
  int leases_per_user_max = 0;  // 0: no cap
  int leases_per_account_max = 0;
  LendCloud lend_cloud = LendCloud::no;
  Lease lease = Lease::whole;
  std::string parts_partitions;  // "gpu,fat"; empty: all
  int parts_per_node_max = 0;
  double ticket_valid_s = 0;
  double agent_wait_s = 0;
  double journal_days_max = 0;
  int journal_mb_max = 0;
  std::string log_level;  // error | warn | info | debug
};

// The words of its choices.
template <>
struct Words<Config::Mode> {
  static constexpr Word<Config::Mode> all[] = {
      {Config::Mode::on, "on"}, {Config::Mode::observe, "observe"}};
};
template <>
struct Words<Config::Scavenger> {
  static constexpr Word<Config::Scavenger> all[] = {
      {Config::Scavenger::plugin, "plugin"}, {Config::Scavenger::poll, "poll"}};
};
template <>
struct Words<Config::Scaling> {
  static constexpr Word<Config::Scaling> all[] = {
      {Config::Scaling::measured, "measured"},
      {Config::Scaling::assumed, "assumed"}};
};
template <>
struct Words<Config::LendCloud> {
  static constexpr Word<Config::LendCloud> all[] = {
      {Config::LendCloud::no, "no"}, {Config::LendCloud::yes, "yes"}};
};
template <>
struct Words<Config::Lease> {
  static constexpr Word<Config::Lease> all[] = {
      {Config::Lease::whole, "whole"}, {Config::Lease::parts, "parts"}};
};

/// Most leases on one node that are parts of it: 0 where `lease: whole`.
inline int parts_per_node(Config const& config) {
  return config.lease == Config::Lease::parts ? config.parts_per_node_max : 0;
}

/// One row of the table.
struct Option {
  char const* key;
  enum class Type { text, integer, real, choice, nodes } type;
  char const* unit;         ///< "" if none
  char const* fallback;     ///< default, as written in the file
  double min = 0, max = 0;  ///< for numbers
  char const* choices;      ///< "on|observe" for a choice
  char const* help;         ///< one sentence
};
std::vector<Option> const& option_table();

/// Defaults only.
Config default_config();

/// Read YAML text.  Precedence: `overrides` (command line) > environment
/// GLEANER_<KEY in capitals> > text > default.  Fails with invalid_argument
/// naming file and line, the key and the value, for YAML that cannot be read,
/// an unknown key, a wrong type or a value out of bounds.
Result<Config> parse_config(
    std::string_view text, std::string_view file_name,
    std::map<std::string, std::string> const& overrides = {});

/// Read a file.  Also fails with io when it cannot be read.
Result<Config> load_config(
    std::string const& path,
    std::map<std::string, std::string> const& overrides = {});

/// Where gleaner.yaml is: $GLEANER_CONF, else beside $SLURM_CONF, else
/// /etc/slurm/gleaner.yaml.
std::string config_path();

/// The effective values as YAML, one commented line per key.
std::string to_yaml(Config const& config);

}  // namespace gleaner
