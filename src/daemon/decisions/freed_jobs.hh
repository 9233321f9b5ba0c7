// SPDX-License-Identifier: Apache-2.0
/// For which waiting jobs has the last leased node just come free?
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/cluster.hh"

namespace gleaner::daemon {

class FreedJobs {
 public:
  /// `kept` are places, each with the job it is kept for; a closed one has a
  /// lease on it, or one that still completes.  Returns the jobs that had a
  /// closed place at an earlier call and have none now.
  std::vector<JobId> update(
      std::map<std::string, JobId> const& kept,
      std::function<bool(std::string const& place)> const& is_closed);

 private:
  std::set<JobId> blocked_;  ///< jobs with a closed place
};

}  // namespace gleaner::daemon
