// SPDX-License-Identifier: Apache-2.0
/// Making the lease template, option by option.
#include "plugins/job_submit/lease_template.hh"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

namespace gleaner::job_submit {
namespace {

constexpr char one_by_one[] =
    "training nodes come and go one by one, wherever they are idle";

Error refuse(std::string const& option, std::string_view value,
             std::string const& why, std::string const& remedy) {
  auto const shown = value.empty() ? "" : "=" + in_quotes(value);
  return {Errc::invalid_argument, "--malleable with " + option + shown + ": " +
                                      why + " [" + remedy + "]"};
}

/// The template is split at spaces, so no value may have any.
bool is_plain(std::string_view value) {
  return std::all_of(value.begin(), value.end(), [](unsigned char c) {
    return c > 0x20 && c < 0x7f && c != '\'' && c != '"' && c != '\\';
  });
}

/// The parts of "a,b" between commas.
std::vector<std::string_view> entries(std::string_view list) {
  std::vector<std::string_view> all;
  while (!list.empty()) {
    auto const comma = std::min(list.find(','), list.size());
    if (comma > 0) all.push_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return all;
}

/// "gres:gpu:4" -> "gpu:4"; 22.05 and 23.11 differ.
std::string_view gres_name(std::string_view entry) {
  if (entry.starts_with("gres:") || entry.starts_with("gres/"))
    entry.remove_prefix(5);
  return entry;
}

/// "gres:gpu:4,gres/nic:1" -> "gpu:4,nic:1"
std::string gres_names(std::string_view tres) {
  std::string names;
  for (auto entry : entries(tres)) {
    entry = gres_name(entry);
    if (entry.empty() || entry == "none") continue;
    if (!names.empty()) names += ',';
    names += entry;
  }
  return names;
}

/// The number after the last colon of "gpu:a100:4", or `otherwise`.
std::uint64_t count_of(std::string_view entry, std::uint64_t otherwise) {
  auto const text = entry.substr(entry.rfind(':') + 1);
  std::uint64_t number = 0;
  auto const [stop, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size() ? number
                                                                   : otherwise;
}

/// GPUs in "gpu:2,gpu:a100:4,nic:1": 6.
std::uint64_t gpus_in(std::string_view tres) {
  std::uint64_t gpus = 0;
  for (auto entry : entries(tres)) {
    entry = gres_name(entry);
    if (entry == "gpu" || entry.starts_with("gpu:")) gpus += count_of(entry, 1);
  }
  return gpus;
}

/// Totals and places: what speaks of all nodes at once.
Result<void> refuse_what_is_of_all_nodes(JobRequest const& request) {
  if (request.is_het)
    return refuse("a heterogeneous job", "", "it has one set of nodes only",
                  "submit it as a job of its own");
  if (!request.required.empty())
    return refuse("--nodelist", request.required, one_by_one,
                  "use --exclude or --constraint");
  if (request.switches)
    return refuse("--switches", std::to_string(*request.switches), one_by_one,
                  "remove it");
  if (request.contiguous)
    return refuse("--contiguous", "", one_by_one, "remove it");
  if (!request.reservation.empty())
    return refuse("--reservation", request.reservation,
                  "training nodes are idle nodes, which no reservation has",
                  "remove it");
  if (!request.tres_per_job.empty())
    return refuse("--gpus", request.tres_per_job,
                  "a total has no meaning while the number of nodes changes",
                  "use --gpus-per-node or --gres");
  return {};
}

/// What speaks of tasks, which the runtime starts, or of their places.
Result<void> refuse_what_is_of_tasks(JobRequest const& request) {
  if (!request.tres_per_task.empty())
    return refuse("--gpus-per-task", request.tres_per_task,
                  "the runtime starts the tasks", "use --gpus-per-node");
  if (!request.tres_per_socket.empty())
    return refuse("--gpus-per-socket", request.tres_per_socket,
                  "the runtime places the tasks", "use --gpus-per-node");
  if (!request.meaningless.empty())
    return refuse(request.meaningless.front(), "",
                  "it has no meaning for nodes that come and go one by one",
                  "remove it");
  auto const tasks = request.tasks.value_or(1);
  auto const expected = std::uint64_t{request.nodes_min.value_or(1)} *
                        request.tasks_per_node.value_or(1);
  if (tasks > 1 && tasks != expected)
    return refuse("--ntasks", std::to_string(tasks),
                  "a total has no meaning while the number of nodes changes",
                  "use --ntasks-per-node");
  return {};
}

Result<void> refuse_other_numbers_of_nodes(
    JobRequest const& request, plugins::MalleableRange const& range) {
  auto const nodes_min = request.nodes_min.value_or(range.nodes_min);
  auto const nodes_max = request.nodes_max.value_or(nodes_min);
  if (request.nodes_min &&
      (nodes_min < static_cast<std::uint32_t>(range.nodes_min) ||
       nodes_max > static_cast<std::uint32_t>(range.nodes_max)))
    return refuse("--nodes",
                  std::to_string(nodes_min) + "-" + std::to_string(nodes_max),
                  "--malleable=" + std::to_string(range.nodes_min) + "-" +
                      std::to_string(range.nodes_max) + " says how many nodes",
                  "remove --nodes");
  return {};
}

/// What each node must have.
struct NodeNeeds {
  std::uint64_t cpus = 0;  ///< 0: nothing in particular
  std::uint64_t memory_mb = 0;
};

Result<NodeNeeds> needs_of(JobRequest const& request) {
  auto const gpus = gpus_in(request.tres_per_node);
  auto const of_gpus = [&](char const* option, std::string const& tres) {
    return refuse(option, std::to_string(count_of(tres, 0)),
                  "how many GPUs each node has is not said",
                  "add --gpus-per-node");
  };
  if (gpus == 0 && !request.cpus_per_tres.empty())
    return of_gpus("--cpus-per-gpu", request.cpus_per_tres);
  if (gpus == 0 && !request.mem_per_tres.empty())
    return of_gpus("--mem-per-gpu", request.mem_per_tres);
  NodeNeeds needs;
  needs.cpus = std::max({std::uint64_t{request.cpus_per_node_min.value_or(0)},
                         std::uint64_t{request.cpus_per_task.value_or(1)} *
                             request.tasks_per_node.value_or(1),
                         gpus * count_of(request.cpus_per_tres, 0)});
  needs.memory_mb = std::max({request.mem_per_node_mb.value_or(0),
                              request.mem_per_cpu_mb.value_or(0) * needs.cpus,
                              gpus * count_of(request.mem_per_tres, 0)});
  return needs;
}

/// An option and its value; options without a value hold none.
using Options = std::vector<std::pair<std::string, std::string>>;

Options options_of(JobRequest const& request, NodeNeeds const& needs) {
  Options options = {{"--gres", gres_names(request.tres_per_node)},
                     {"--constraint", request.constraint},
                     {"--exclude", request.excluded},
                     {"--partition", request.partition}};
  auto const add = [&](char const* option, std::uint64_t value,
                       std::uint64_t least, char const* unit) {
    if (value >= least)
      options.emplace_back(option, std::to_string(value) + unit);
  };
  add("--mem", needs.memory_mb, 1, "M");
  // Every lease has one CPU.
  add("--cpus-per-task", needs.cpus, 2, "");
  for (auto const& given : request.passed_on)
    options.emplace_back(given.option, given.value);
  return options;
}

Result<void> check_option(std::string const& option, std::string const& value) {
  if (!is_plain(value))
    return refuse(option, value, "spaces and quotes are not possible here",
                  "write it without");
  if (option == "--constraint" &&
      value.find_first_of("*[]") != std::string::npos)
    return refuse(option, value,
                  "counts and [a|b] speak of all nodes at once, and nodes "
                  "come one by one",
                  "use features joined by & or |");
  if (option == "--constraint" && value.find('!') != std::string::npos)
    return refuse(option, value, "Slurm's --constraint has no !",
                  "name the features that a node must have, or use --exclude");
  return {};
}

}  // namespace

Result<std::string> make_lease_template(JobRequest const& request,
                                        plugins::MalleableRange const& range) {
  if (request.uid == 0)
    return Error{Errc::denied,
                 "--malleable as root: root gets no leases (no training of "
                 "root's could ever start) [submit it as an ordinary user]"};
  for (auto const& checked :
       {refuse_what_is_of_all_nodes(request), refuse_what_is_of_tasks(request),
        refuse_other_numbers_of_nodes(request, range)})
    if (!checked) return checked.error();
  auto const needs = needs_of(request);
  if (!needs) return needs.error();

  std::string text;
  auto const append = [&](std::string const& word) {
    if (!text.empty()) text += ' ';
    text += word;
  };
  for (auto const& [option, value] : options_of(request, *needs)) {
    if (value.empty()) continue;
    if (auto plain = check_option(option, value); !plain) return plain.error();
    append(option + "=" + value);
  }
  if (text.size() > lease_template_bytes_max)
    return refuse("what is asked of each node", "",
                  std::to_string(text.size()) + " characters are more than " +
                      std::to_string(lease_template_bytes_max),
                  "shorten --exclude, --constraint or --gres");
  return text;
}

}  // namespace gleaner::job_submit
