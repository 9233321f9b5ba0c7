// SPDX-License-Identifier: Apache-2.0
/// Jobs that were blocked and are not any more.
#include "daemon/decisions/freed_jobs.hh"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gleaner::daemon {

std::vector<JobId> FreedJobs::update(
    std::map<std::string, JobId> const& kept,
    std::function<bool(std::string const&)> const& is_closed) {
  std::set<JobId> waiting, blocked;
  for (auto const& [place, job] : kept) {
    waiting.insert(job);
    if (is_closed(place)) blocked.insert(job);
  }
  auto const before = std::exchange(blocked_, std::move(blocked));
  std::vector<JobId> freed;
  std::copy_if(
      before.begin(), before.end(), std::back_inserter(freed),
      [&](JobId job) { return waiting.count(job) && !blocked_.count(job); });
  return freed;
}

}  // namespace gleaner::daemon
