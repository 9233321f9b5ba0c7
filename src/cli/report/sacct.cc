// SPDX-License-Identifier: Apache-2.0
/// Reading sacct's lines.
#include "cli/report/sacct.hh"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace gleaner::cli {
namespace {

/// JobName comes last: it alone may hold the character between fields.
constexpr char fields[] =
    "JobIDRaw,Partition,Eligible,Start,End,State,ExitCode,NNodes,NodeList,"
    "JobName";
constexpr std::size_t field_count = 10;
using Fields = std::array<std::string_view, field_count>;

std::optional<Fields> split(std::string_view line) {
  Fields words;
  for (std::size_t i = 0; i + 1 < field_count; ++i) {
    auto const end = line.find('|');
    if (end == line.npos) return std::nullopt;
    words[i] = line.substr(0, end);
    line.remove_prefix(end + 1);
  }
  words[field_count - 1] = line;
  return words;
}

/// "Unknown" and "None" are moments that have not come.
std::optional<double> time_of(std::string_view text) {
  long long s = 0;
  auto const [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), s);
  if (error != std::errc() || end != text.data() + text.size() || s <= 0)
    return std::nullopt;
  return static_cast<double>(s);
}

bool is_never(std::string_view text) {
  return text == "Unknown" || text == "None" || text.empty() || text == "0";
}

int number(std::string_view text) {
  int n = 0;
  std::from_chars(text.data(), text.data() + text.size(), n);
  return n;
}

/// Jobs that are told to end, or preempted, did not fail.
int code_of(std::string_view state, std::string_view exit_code) {
  for (auto const* failed : {"FAILED", "NODE_FAIL", "OUT_OF_MEMORY",
                             "BOOT_FAIL", "TIMEOUT", "DEADLINE"})
    if (state.starts_with(failed)) return std::max(1, number(exit_code));
  return 0;
}

Result<RigidJob> to_job(Fields const& words) {
  auto const& [id, partition, eligible, start, end, state, code, nodes, list,
               name] = words;
  for (auto const moment : {eligible, start, end})
    if (!time_of(moment) && !is_never(moment))
      return Error{Errc::invalid_argument,
                   "cannot read the time '" + std::string(moment) +
                       "' [run sacct with SLURM_TIME_FORMAT=%s]"};
  RigidJob job;
  job.name = std::string(id);
  job.start_s = time_of(start);
  job.end_s = time_of(end);
  job.submit_s = time_of(eligible).value_or(job.start_s.value_or(0));
  job.nodes_wanted = number(nodes);
  job.code = code_of(state, code);
  if (list == "None assigned" || list.empty()) return job;
  auto const set = NodeSet::parse(list);
  if (!set) return set.error();
  job.nodes = *set;
  return job;
}

std::string seconds(double s) {
  return std::to_string(static_cast<long long>(std::floor(s)));
}

}  // namespace

std::vector<std::string> sacct_command(SacctQuery const& query) {
  std::vector<std::string> command = {
      "sacct",
      "--allusers",
      "--allocations",
      "--noheader",
      "--parsable2",
      "--format=" + std::string(fields),
      "--starttime=" + (query.from_s > 0 ? "uts" + seconds(query.from_s)
                                         : std::string("1970-01-02"))};
  if (query.to_s > 0)
    command.push_back("--endtime=uts" + seconds(std::ceil(query.to_s)));
  if (query.nodes.size() > 0)
    command.push_back("--nodelist=" + query.nodes.to_string());
  return command;
}

Result<std::vector<RigidJob>> parse_sacct(std::string_view text,
                                          std::string const& lease_partition) {
  std::vector<RigidJob> jobs;
  for (int number = 1; !text.empty(); ++number) {
    auto const end = std::min(text.find('\n'), text.size());
    auto const line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    auto const at_line = [&](std::string const& why) {
      return Error{Errc::invalid_argument, "line " + std::to_string(number) +
                                               " of sacct's answer: " + why};
    };
    auto const words = split(line);
    if (!words)
      return at_line("'" + std::string(line.substr(0, 80)) +
                     "' has not the fields " + fields);
    if ((*words)[1] == lease_partition) continue;
    auto job = to_job(*words);
    if (!job) return at_line(job.error().message);
    if (job->start_s && job->nodes.size() > 0) jobs.push_back(std::move(*job));
  }
  std::stable_sort(jobs.begin(), jobs.end(), [](auto const& a, auto const& b) {
    return a.submit_s < b.submit_s;
  });
  return jobs;
}

}  // namespace gleaner::cli
