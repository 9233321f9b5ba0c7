// SPDX-License-Identifier: Apache-2.0
#include "cli/report/rigid_log.hh"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace gleaner::cli {
namespace {

/// Throws what nlohmann-json throws when a field is missing or of another type.
Result<void> apply(nlohmann::json const& line, RigidJob& job) {
  auto const event = line.at("event").get<std::string>();
  auto const t = line.at("t").get<double>();
  if (event == "submit") {
    job.submit_s = t;
    job.nodes_wanted = line.at("nodes").get<int>();
  } else if (event == "start") {
    job.start_s = t;
    auto nodes = NodeSet::parse(line.at("nodelist").get<std::string>());
    if (!nodes) return nodes.error();
    job.nodes = *nodes;
  } else if (event == "end") {
    job.end_s = t;
    job.code = line.at("code").get<int>();
  } else {
    return Error{Errc::invalid_argument, "unknown event '" + event + "'"};
  }
  return {};
}

Error at_line(int number, std::string const& why) {
  return {Errc::invalid_argument, "line " + std::to_string(number) +
                                      " of the rigid jobs' record: " + why};
}

}  // namespace

Result<std::vector<RigidJob>> parse_rigid_log(std::string_view text) {
  std::map<std::string, RigidJob> jobs;
  std::istringstream in{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    try {
      auto const json = nlohmann::json::parse(line);
      auto const name = json.at("job").get<std::string>();
      RigidJob& job = jobs[name];
      job.name = name;
      if (auto ok = apply(json, job); !ok)
        return at_line(number, ok.error().message);
    } catch (nlohmann::json::exception const& error) {
      return at_line(number, error.what());
    }
  }
  std::vector<RigidJob> result;
  for (auto& [name, job] : jobs) result.push_back(std::move(job));
  std::stable_sort(
      result.begin(), result.end(),
      [](auto const& a, auto const& b) { return a.submit_s < b.submit_s; });
  return result;
}

}  // namespace gleaner::cli
