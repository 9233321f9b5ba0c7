// SPDX-License-Identifier: Apache-2.0
/// The table of gleaner.yaml's keys, and how the file is read.
#include "core/config.hh"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/node_set.hh"

namespace gleaner {
namespace {

using Type = Option::Type;
/// A field that is an enumeration with words (core/choice.hh).
struct ChoiceField {
  bool (*set)(Config& config, std::string_view word);  ///< false: no such word
  char const* (*word)(Config const& config);
};
using Field = std::variant<std::string Config::*, int Config::*,
                           double Config::*, ChoiceField>;

template <auto Member>
ChoiceField choice() {
  using Enum = std::remove_cvref_t<decltype(std::declval<Config>().*Member)>;
  return {[](Config& config, std::string_view word) {
            auto const value = parse_choice<Enum>(word);
            if (value) config.*Member = *value;
            return value.has_value();
          },
          [](Config const& config) { return to_string(config.*Member); }};
}

/// A row of the table together with the field it sets.
struct Row {
  Option option;
  Field field;
};

std::vector<Row> const& rows() {
  static std::vector<Row> const table = {
      {{"mode", Type::choice, "", "observe", 0, 0,
        choices<Config::Mode>().c_str(),
        "on: lend nodes; observe: report holes and plans, lend nothing."},
       choice<&Config::mode>()},
      {{"drained", Type::nodes, "", "", 0, 0, "",
        "Nodes that are not lent, as Slurm writes them: n[1-4]."},
       &Config::drained},
      {{"run_dir", Type::text, "", "/run/gleaner", 0, 0, "",
        "Directory of the sockets; must belong to SlurmUser or root, mode "
        "0711."},
       &Config::run_dir},
      {{"state_dir", Type::text, "", "/var/lib/gleaner", 0, 0, "",
        "Directory of the journal and of ticket.key; SlurmUser's, mode 0700."},
       &Config::state_dir},
      {{"listen", Type::text, "", "0.0.0.0:6840", 0, 0, "",
        "host:port on which gleanerd accepts coordinators and clients."},
       &Config::listen},
      {{"address", Type::text, "", "localhost:6840", 0, 0, "",
        "host:port under which head and login nodes reach gleanerd."},
       &Config::address},
      {{"munge_socket", Type::text, "", "", 0, 0, "",
        "Socket of munged; empty: the system's."},
       &Config::munge_socket},
      {{"slurm_user", Type::text, "", "slurm", 0, 0, "",
        "SlurmUser of slurm.conf; clients trust only a gleanerd of this user "
        "or of root."},
       &Config::slurm_user},
      {{"lease_partition", Type::text, "", "lease", 0, 0, "",
        "Partition of the leases: lowest PriorityTier, PreemptMode=CANCEL."},
       &Config::lease_partition},
      {{"head_partition", Type::text, "", "head", 0, 0, "",
        "Partition in which the batch jobs of trainers run."},
       &Config::head_partition},
      {{"head_memory_mb", Type::integer, "MB", "512", 1, 1048576, "",
        "Memory of such a batch job, for its script and the coordinator."},
       &Config::head_memory_mb},
      {{"head_memory_per_node_mb", Type::integer, "MB", "16", 0, 65536, "",
        "Additional memory for each node that it may be lent, for its srun."},
       &Config::head_memory_per_node_mb},
      {{"reservation", Type::text, "", "gleaner", 0, 0, "",
        "Reservation that lets leases start at once; gleanerd makes it."},
       &Config::reservation},
      {{"licence", Type::text, "", "gleaner", 0, 0, "",
        "Licence of slurm.conf that the reservation holds."},
       &Config::licence},
      {{"lease_account", Type::text, "", "", 0, 0, "",
        "Account that leases are charged to; empty: the user's own."},
       &Config::lease_account},
      {{"lease_qos", Type::text, "", "", 0, 0, "",
        "QOS of leases; empty: the user's own."},
       &Config::lease_qos},
      {{"scavenger", Type::choice, "", "plugin", 0, 0,
        choices<Config::Scavenger>().c_str(),
        "Program that finds holes: sched_gleaner in slurmctld, or gleanerd."},
       choice<&Config::scavenger>()},
      {{"scan_interval_ms", Type::integer, "ms", "1000", 10, 600000, "",
        "Look for holes at least this often."},
       &Config::scan_interval_ms},
      {{"scan_gap_ms_min", Type::integer, "ms", "20", 1, 60000, "",
        "Shortest time between two looks."},
       &Config::scan_gap_ms_min},
      {{"scan_share_max", Type::real, "", "0.03", 0.001, 1, "",
        "Share of the time that looking for holes may take."},
       &Config::scan_share_max},
      {{"stock_backfill", Type::text, "", "", 0, 0, "",
        "Path of Slurm's own sched_backfill.so; empty: where Slurm put it."},
       &Config::stock_backfill},
      {{"policy", Type::choice, "", "gleaner", 0, 0,
        "gleaner|exact|freetrain|equal_share",
        "How idle nodes are shared among trainers."},
       &Config::policy},
      {{"scaling", Type::choice, "", "measured", 0, 0,
        choices<Config::Scaling>().c_str(),
        "Speed of a training job on k nodes: as measured, or assumed."},
       choice<&Config::scaling>()},
      {{"profile_share", Type::real, "", "0.005", 0, 0.1, "",
        "Part of the lent node time that measuring trainings on purpose may "
        "cost; 0: none."},
       &Config::profile_share},
      {{"problem_log", Type::text, "", "", 0, 0, "",
        "File for every solved problem, one a line; empty: none."},
       &Config::problem_log},
      {{"problem_log_mb_max", Type::integer, "MB", "256", 1, 1048576, "",
        "When problem_log is larger it replaces FILE.1."},
       &Config::problem_log_mb_max},
      {{"forward_looking_s", Type::real, "s", "120", 1, 86400, "",
        "Time within which a resize must pay for itself (T_fwd)."},
       &Config::forward_looking_s},
      {{"hole_s_min", Type::real, "s", "5", 0, 86400, "",
        "Do not lend a node that Slurm plans to use sooner than this."},
       &Config::hole_s_min},
      {{"expand_cost_s", Type::real, "s", "0.5", 0, 3600, "",
        "Training time that one expansion is assumed to cost."},
       &Config::expand_cost_s},
      {{"shrink_cost_s", Type::real, "s", "0.2", 0, 3600, "",
        "Training time that one shrink is assumed to cost."},
       &Config::shrink_cost_s},
      {{"start_cost_s", Type::real, "s", "3", 0, 3600, "",
        "Time from zero nodes to the first step, at the new size."},
       &Config::start_cost_s},
      {{"release_lead_s", Type::real, "s", "2", 0, 3600, "",
        "Give a node back this long before its planned use."},
       &Config::release_lead_s},
      {{"give_back_s", Type::real, "s", "1", 0, 3600, "",
        "Time a trainer has to leave a node that an arrived job can use."},
       &Config::give_back_s},
      {{"arrival_hold_s", Type::real, "s", "0", 0, 3600, "",
        "Longest time to keep a node free that was given back for a job; 0: "
        "ten seconds more than Slurm's bf_interval."},
       &Config::arrival_hold_s},
      {{"arrival_notice_s", Type::integer, "s", "2", 0, 10, "",
        "Longest time that a job waits for training jobs to leave, if it "
        "cannot "
        "start without leased nodes; more where Epilogs of leases take long, "
        "12 s at most; 0: it does not."},
       &Config::arrival_notice_s},
      {{"lease_minutes_max", Type::integer, "min", "10", 2, 525600, "",
        "Longest time limit of a lease; gleanerd extends it while it lives."},
       &Config::lease_minutes_max},
      {{"leases_per_hour_max", Type::integer, "", "3600", 1, 1000000, "",
        "Most leases in an hour; each is a job record in slurmctld."},
       &Config::leases_per_hour_max},
      {{"leases_max", Type::integer, "", "0", 0, 1000000, "",
        "Most leases at a time; 0: as many as there are holes."},
       &Config::leases_max},
      {{"leases_per_user_max", Type::integer, "", "0", 0, 1000000, "",
        "Most leases of one user at a time; 0: no such limit."},
       &Config::leases_per_user_max},
      {{"leases_per_account_max", Type::integer, "", "0", 0, 1000000, "",
        "Most leases at a time of training jobs with one account; 0: no such "
        "limit."},
       &Config::leases_per_account_max},
      {{"lend_cloud", Type::choice, "", "no", 0, 0,
        choices<Config::LendCloud>().c_str(),
        "yes: lend CLOUD nodes too, which then stay powered up."},
       choice<&Config::lend_cloud>()},
      {{"lease", Type::choice, "", "whole", 0, 0,
        choices<Config::Lease>().c_str(),
        "What a lease takes: a whole node, or free GPUs of a node."},
       choice<&Config::lease>()},
      {{"parts_partitions", Type::text, "", "", 0, 0, "",
        "With lease: parts, the partitions whose nodes are lent so: gpu,fat; "
        "empty: all."},
       &Config::parts_partitions},
      {{"parts_per_node_max", Type::integer, "", "8", 1, 16, "",
        "With lease: parts, most leases on one node."},
       &Config::parts_per_node_max},
      {{"ticket_valid_s", Type::real, "s", "10", 1, 300, "",
        "Time a coordinator has to use a ticket."},
       &Config::ticket_valid_s},
      {{"agent_wait_s", Type::real, "s", "15", 1, 600, "",
        "End a lease on which no agent has reported for this long."},
       &Config::agent_wait_s},
      {{"journal_days_max", Type::real, "days", "365", 0.01, 36500, "",
        "Delete events that are older than this."},
       &Config::journal_days_max},
      {{"journal_mb_max", Type::integer, "MB", "1024", 1, 1048576, "",
        "Delete the oldest events when the journal is larger than this."},
       &Config::journal_mb_max},
      {{"log_level", Type::choice, "", "info", 0, 0, "error|warn|info|debug",
        "Log lines of this level and of more important ones."},
       &Config::log_level},
  };
  return table;
}

Error bad_value(std::string const& where, Option const& option,
                std::string const& value, std::string const& expected) {
  return {Errc::invalid_argument, where + ": " + option.key + ": '" + value +
                                      "' is not valid (expected " + expected +
                                      ")"};
}

std::string bounds_of(Option const& option) {
  std::ostringstream text;
  text << (option.type == Type::integer ? "a whole number" : "a number")
       << " from " << option.min << " to " << option.max;
  if (*option.unit) text << ' ' << option.unit;
  return text.str();
}

template <class Number>
bool read_number(std::string const& text, Number* number) {
  auto const end = text.data() + text.size();
  auto const [stop, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && stop == end;
}

bool is_choice(std::string const& value, char const* choices) {
  std::istringstream list(choices);
  for (std::string choice; std::getline(list, choice, '|');)
    if (choice == value) return true;
  return false;
}

/// Check `value` and put it into the row's field.
Result<void> set(Row const& row, std::string const& value,
                 std::string const& where, Config* config) {
  auto const& option = row.option;
  if (auto* field = std::get_if<int Config::*>(&row.field)) {
    int number = 0;
    if (!read_number(value, &number) || number < option.min ||
        number > option.max)
      return bad_value(where, option, value, bounds_of(option));
    config->** field = number;
  } else if (auto* real = std::get_if<double Config::*>(&row.field)) {
    double number = 0;
    if (!read_number(value, &number) ||
        !(number >= option.min && number <= option.max))
      return bad_value(where, option, value, bounds_of(option));
    config->** real = number;
  } else if (auto* choice = std::get_if<ChoiceField>(&row.field)) {
    if (!choice->set(*config, value))
      return bad_value(where, option, value,
                       std::string("one of ") + option.choices);
  } else {
    if (option.type == Type::choice && !is_choice(value, option.choices))
      return bad_value(where, option, value,
                       std::string("one of ") + option.choices);
    if (option.type == Type::nodes)
      if (auto const nodes = NodeSet::parse(value);
          !nodes || value.find('+') != std::string::npos)
        return bad_value(where, option, value,
                         "nodes such as n[1-4]" +
                             (nodes ? "" : ": " + nodes.error().message));
    config->*std::get<std::string Config::*>(row.field) = value;
  }
  return {};
}

Row const* find(std::string const& key) {
  auto const& table = rows();
  auto const row = std::find_if(
      table.begin(), table.end(),
      [&](Row const& candidate) { return key == candidate.option.key; });
  return row == table.end() ? nullptr : &*row;
}

Error unknown_key(std::string const& where, std::string const& key) {
  return {Errc::invalid_argument,
          where + ": unknown key '" + key +
              "' [see gleaner.yaml(5) or gleanerd --help for the keys]"};
}

Result<void> read_yaml(std::string_view text, std::string const& file,
                       Config* config) {
  try {
    auto const root = YAML::Load(std::string(text));
    if (root.IsNull()) return {};
    if (!root.IsMap())
      return Error{Errc::invalid_argument,
                   file + ": expected lines of the form 'key: value'"};
    for (auto const& entry : root) {
      auto const where =
          file + ":" + std::to_string(entry.first.Mark().line + 1);
      auto const key = entry.first.as<std::string>();
      auto const* row = find(key);
      if (!row) return unknown_key(where, key);
      if (!entry.second.IsScalar() && !entry.second.IsNull())
        return bad_value(where, row->option, "a list or map", "one value");
      auto const value = entry.second.IsNull() ? std::string()
                                               : entry.second.as<std::string>();
      if (auto done = set(*row, value, where, config); !done) return done;
    }
  } catch (YAML::Exception const& e) {
    return Error{Errc::invalid_argument,
                 file + ":" + std::to_string(e.mark.line + 1) + ": " + e.msg};
  }
  return {};
}

std::string environment_name(char const* key) {
  std::string name = "GLEANER_";
  for (; *key; ++key)
    name += static_cast<char>(std::toupper(static_cast<unsigned char>(*key)));
  return name;
}

Result<void> read_environment(Config* config) {
  for (auto const& row : rows()) {
    auto const name = environment_name(row.option.key);
    if (char const* value = std::getenv(name.c_str()))
      if (auto done = set(row, value, "environment " + name, config); !done)
        return done;
  }
  return {};
}

/// The value of a row's field, as the file would hold it.
std::string value_of(Row const& row, Config const& config) {
  std::ostringstream text;
  if (auto* field = std::get_if<int Config::*>(&row.field))
    text << config.**field;
  else if (auto* real = std::get_if<double Config::*>(&row.field))
    text << config.**real;
  else if (auto* choice = std::get_if<ChoiceField>(&row.field))
    text << YAML::Node(choice->word(config));
  else
    text << YAML::Node(config.*std::get<std::string Config::*>(row.field));
  auto const value = text.str();
  return value.empty() ? "\"\"" : value;
}

}  // namespace

std::vector<Option> const& option_table() {
  static auto const table = [] {
    std::vector<Option> options;
    for (auto const& row : rows()) options.push_back(row.option);
    return options;
  }();
  return table;
}

Config default_config() {
  Config config;
  for (auto const& row : rows()) {
    [[maybe_unused]] auto const done =
        set(row, row.option.fallback, "default", &config);
    assert(done);
  }
  return config;
}

Result<Config> parse_config(
    std::string_view text, std::string_view file_name,
    std::map<std::string, std::string> const& overrides) {
  auto config = default_config();
  if (auto done = read_yaml(text, std::string(file_name), &config); !done)
    return done.error();
  if (auto done = read_environment(&config); !done) return done.error();
  for (auto const& [key, value] : overrides) {
    auto const* row = find(key);
    if (!row) return unknown_key("command line", key);
    if (auto done = set(*row, value, "command line", &config); !done)
      return done.error();
  }
  return config;
}

Result<Config> load_config(
    std::string const& path,
    std::map<std::string, std::string> const& overrides) {
  std::ifstream file(path);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || file.bad())
    return Error{Errc::io, "cannot read " + path + " (" + std::strerror(errno) +
                               ") [set GLEANER_CONF or put gleaner.yaml beside "
                               "slurm.conf]"};
  // An editor empties a file before it writes it: that is no wish for defaults.
  if (text.str().empty())
    return Error{Errc::io, path +
                               " is empty (it may be just being written) [a "
                               "comment is enough for defaults]"};
  return parse_config(text.str(), path, overrides);
}

std::string config_path() {
  if (char const* path = std::getenv("GLEANER_CONF"); path && *path)
    return path;
  if (char const* path = std::getenv("SLURM_CONF"); path && *path) {
    std::string const slurm_conf = path;
    auto const slash = slurm_conf.rfind('/');
    if (slash != std::string::npos)
      return slurm_conf.substr(0, slash) + "/gleaner.yaml";
  }
  return "/etc/slurm/gleaner.yaml";
}

std::string to_yaml(Config const& config) {
  std::string text;
  for (auto const& row : rows()) {
    text += std::string(row.option.key) + ": " + value_of(row, config) + "  # ";
    if (*row.option.unit) text += std::string("[") + row.option.unit + "] ";
    text += std::string(row.option.help) + '\n';
  }
  return text;
}

}  // namespace gleaner
