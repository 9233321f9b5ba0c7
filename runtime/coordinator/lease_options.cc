// SPDX-License-Identifier: Apache-2.0
/// The list of srun's options that a lease may have.
#include "runtime/coordinator/lease_options.hh"

#include <algorithm>

#include "core/place.hh"

namespace gleaner::coordinator {
namespace {

constexpr std::size_t value_bytes_max = 1024;
constexpr std::size_t options_max = 32;

constexpr std::string_view letters_and_digits =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

bool consists_of(std::string_view text, std::string_view others) {
  return !text.empty() && text.size() <= value_bytes_max &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return letters_and_digits.find(c) != letters_and_digits.npos ||
                  others.find(c) != others.npos;
         });
}

Error refused(std::string const& what, std::string const& why) {
  return {Errc::denied, "'" + what.substr(0, 60) +
                            "' is not passed on to srun (" + why + ")"};
}

/// What job_submit_gleaner lets into a template: graphic ASCII without quotes.
/// No shell reads it.  A '/' would make a list of nodes the name of a file.
bool is_value(std::string_view name, std::string_view value) {
  bool const lists_nodes = name == "nodelist" || name == "exclude";
  return !value.empty() && value.size() <= value_bytes_max &&
         std::all_of(value.begin(), value.end(), [&](unsigned char c) {
           return c > 0x20 && c < 0x7f && c != '\'' && c != '"' && c != '\\' &&
                  !(lists_nodes && c == '/');
         });
}

Result<void> check_option(std::string const& word) {
  if (word == "--exclusive") return {};
  auto const equals = word.find('=');
  if (!word.starts_with("--") || equals == word.npos)
    return refused(word, "only options of the form --NAME=VALUE are");
  auto const name = std::string_view(word).substr(2, equals - 2);
  auto const& options = lease_options();
  if (std::none_of(options.begin(), options.end(),
                   [&](auto const& option) { return option.name == name; }))
    return refused(word, "not an option that says what a lease takes");
  if (!is_value(name, std::string_view(word).substr(equals + 1)))
    return refused(word, "its value has characters that none of these has");
  return {};
}

Result<void> check_part(Resources const& part) {
  auto const gres = to_string(part.gres);
  if (!consists_of(gres, "._-:,"))
    return refused("--gres=" + gres,
                   "its value has characters that none of these has");
  if (part.cpus < 1 || part.memory_mb < 1)
    return refused(to_string(part), "a part has CPUs and memory");
  return {};
}

}  // namespace

std::vector<LeaseOption> const& lease_options() {
  using Says = LeaseOption::Says;
  static std::vector<LeaseOption> const options = {
      {"partition", Says::place},
      {"reservation", Says::place},
      {"account", Says::place},
      {"qos", Says::place},
      {"constraint", Says::place},
      {"exclude", Says::place},
      {"nodelist", Says::place},
      {"gres-flags", Says::place},
      {"sockets-per-node", Says::place},
      {"tmp", Says::place},
      {"cpus-per-gpu", Says::amount},
      {"cpus-per-task", Says::amount},
      {"cores-per-socket", Says::amount},
      {"gpus", Says::amount},
      {"gpus-per-node", Says::amount},
      {"gpus-per-task", Says::amount},
      {"gres", Says::amount},
      {"mem", Says::amount},
      {"mem-per-cpu", Says::amount},
      {"mem-per-gpu", Says::amount},
      {"mincpus", Says::amount},
      {"ntasks-per-node", Says::amount},
      {"threads-per-core", Says::amount}};
  return options;
}

bool is_lease_amount(std::string_view name) {
  auto const& options = lease_options();
  return name == "exclusive" ||
         std::any_of(options.begin(), options.end(), [&](auto const& option) {
           return option.name == name &&
                  option.says == LeaseOption::Says::amount;
         });
}

Result<void> check_lease_request(msg::Grant const& grant,
                                 std::vector<std::string> const& options) {
  if (!consists_of(grant.node, "._-+"))
    return refused(grant.node, "not the name of a node");
  if (!consists_of(grant.ticket, "._-+:,="))
    return refused(grant.ticket, "not a ticket");
  if (is_part(grant.node) != grant.part.has_value())
    return refused(grant.node, "a part of a node and its size go together");
  if (grant.part)
    if (auto done = check_part(*grant.part); !done) return done;
  if (options.size() > options_max)
    return refused(options.back(), "more than " + std::to_string(options_max) +
                                       " options for one lease");
  for (auto const& word : options)
    if (auto done = check_option(word); !done) return done;
  return {};
}

}  // namespace gleaner::coordinator
