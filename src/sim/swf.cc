// SPDX-License-Identifier: Apache-2.0
#include "sim/swf.hh"

#include <algorithm>
#include <charconv>
#include <map>

#include "sim/input_file.hh"

namespace gleaner::sim {
namespace {

constexpr std::size_t fields_of_line = 18;
constexpr double unknown = -1;

/// The number behind "; KEY: " in the header.
class Header {
 public:
  void add(std::string_view comment) {
    for (auto const* key : {"MaxNodes", "MaxProcs", "WindowStart", "WindowEnd"})
      if (auto const at = comment.find(std::string(key) + ":");
          at != std::string_view::npos && at <= 2) {
        auto const text = comment.substr(
            std::min(comment.find_first_not_of(' ', comment.find(':') + 1),
                     comment.size()));
        double value = 0;
        if (std::from_chars(text.data(), text.data() + text.size(), value).ec ==
            std::errc())
          values_[key] = value;
      }
  }
  double value(std::string const& key, double otherwise) const {
    auto const at = values_.find(key);
    return at == values_.end() ? otherwise : at->second;
  }

 private:
  std::map<std::string, double> values_;
};

/// One line, in processors and the log's own time.
struct Entry {
  LoggedJob job;
  int processors = 0;
};

Entry entry(Line& line) {
  Entry e;
  e.job.number = line.whole(0, "job number", 0);
  e.job.submit_s = line.number(1, "submit time", 0);
  double const wait_s = line.number(2, "wait time", unknown);
  e.job.start_s = e.job.submit_s + std::max(wait_s, 0.0);
  e.job.run_s = line.number(3, "run time", unknown);
  int const used = line.whole(4, "allocated processors", -1);
  int const wanted = line.whole(7, "requested processors", -1);
  e.processors = used > 0 ? used : wanted;
  e.job.limit_s = line.number(8, "requested time", unknown);
  return e;
}

}  // namespace

Result<JobLog> read_swf(std::string const& file) {
  Header header;
  std::vector<Entry> entries;
  JobLog log;
  auto const read = read_columns(
      file, ';', [&](std::string_view comment) { header.add(comment); },
      [&](Line& line) {
        if (line.size() != fields_of_line)
          line.refuse("found " + std::to_string(line.size()) +
                      " fields (expected the 18 of the Standard Workload "
                      "Format)");
        auto const e = entry(line);
        if (e.job.run_s > 0 && e.processors > 0)
          entries.push_back(e);
        else
          ++log.skipped;
        return line.result();
      });
  if (!read) return read.error();

  log.nodes = static_cast<int>(header.value("MaxNodes", 0));
  double const processors = header.value("MaxProcs", log.nodes);
  int const per_node =
      log.nodes > 0 ? std::max(1, static_cast<int>(processors / log.nodes)) : 1;
  double first_s = 0, last_s = 0, longest_s = 0;
  for (auto const& [job, used] : entries) {
    first_s = &job == &entries.front().job ? job.submit_s
                                           : std::min(first_s, job.submit_s);
    last_s = std::max(last_s, job.submit_s);
    longest_s = std::max(longest_s, job.limit_s);
  }
  double const start_s = header.value("WindowStart", first_s);
  log.length_s = header.value("WindowEnd", last_s) - start_s;
  for (auto& [job, used] : entries) {
    job.submit_s -= start_s;
    job.start_s -= start_s;
    job.nodes = (used + per_node - 1) / per_node;
    if (job.limit_s <= 0) job.limit_s = longest_s;
    log.jobs.push_back(job);
  }
  std::stable_sort(log.jobs.begin(), log.jobs.end(),
                   [](LoggedJob const& a, LoggedJob const& b) {
                     return a.submit_s < b.submit_s;
                   });
  return log;
}

}  // namespace gleaner::sim
