// SPDX-License-Identifier: Apache-2.0
/// Making the lease template, option by option.
#include "plugins/job_submit/lease_template.hh"

#include <algorithm>
#include <string_view>
#include <utility>

namespace gleaner {
namespace {

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

Result<void> refuse_what_has_no_meaning(JobRequest const& request,
                                        MalleableRange const& range) {
  char const* const one_by_one =
      "training nodes come and go one by one, wherever they are idle";
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
  if (!request.tres_per_task.empty())
    return refuse("--gpus-per-task", request.tres_per_task,
                  "the runtime starts the tasks", "use --gpus-per-node");
  if (!request.tres_per_socket.empty())
    return refuse("--gpus-per-socket", request.tres_per_socket,
                  "a lease is a whole node", "use --gpus-per-node");
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

/// "gres:gpu:4,gres/nic:1" -> "gpu:4,nic:1": 22.05 and 23.11 differ.
std::string gres_names(std::string_view tres) {
  std::string names;
  while (!tres.empty()) {
    auto const comma = std::min(tres.find(','), tres.size());
    auto entry = tres.substr(0, comma);
    tres.remove_prefix(std::min(comma + 1, tres.size()));
    if (entry.substr(0, 5) == "gres:" || entry.substr(0, 5) == "gres/")
      entry.remove_prefix(5);
    if (entry.empty() || entry == "none") continue;
    if (!names.empty()) names += ',';
    names += entry;
  }
  return names;
}

}  // namespace

Result<std::string> make_lease_template(JobRequest const& request,
                                        MalleableRange const& range) {
  if (auto fits = refuse_what_has_no_meaning(request, range); !fits)
    return fits.error();
  std::vector<std::pair<std::string, std::string>> options = {
      {"--gres", gres_names(request.tres_per_node)},
      {"--constraint", request.constraint},
      {"--exclude", request.excluded}};
  if (request.mem_per_node_mb.value_or(0) > 0)
    options.emplace_back("--mem",
                         std::to_string(*request.mem_per_node_mb) + "M");
  if (request.cpus_per_node_min.value_or(0) > 0)
    options.emplace_back("--mincpus",
                         std::to_string(*request.cpus_per_node_min));
  if (request.tmp_disk_mb.value_or(0) > 0)
    options.emplace_back("--tmp", std::to_string(*request.tmp_disk_mb) + "M");

  std::string text;
  for (auto const& [option, value] : options) {
    if (value.empty()) continue;
    if (!is_plain(value))
      return refuse(option, value, "spaces and quotes are not possible here",
                    "write it without");
    if (option == "--constraint" &&
        value.find_first_of("*[]") != std::string::npos)
      return refuse(option, value,
                    "counts and [a|b] speak of all nodes at once, and nodes "
                    "come one by one",
                    "use features joined by & or |");
    if (!text.empty()) text += ' ';
    text += option + "=" + value;
  }
  if (text.size() > lease_template_bytes_max)
    return refuse("what is asked of each node", "",
                  std::to_string(text.size()) + " characters are more than " +
                      std::to_string(lease_template_bytes_max),
                  "shorten --exclude, --constraint or --gres");
  return text;
}

}  // namespace gleaner
