// SPDX-License-Identifier: Apache-2.0
/// Logs of rigid jobs in the Standard Workload Format.
#pragma once

#include <string>
#include <vector>

#include "core/result.hh"

namespace gleaner::sim {

/// A rigid job as it was logged.  Times count from the window's start.
struct LoggedJob {
  int number = 0;       ///< in the log
  double submit_s = 0;  ///< negative: before the window
  double start_s = 0;   ///< when it started then
  double run_s = 0;     ///< how long it really ran
  double limit_s = 0;   ///< what it asked for, and all that is known before
  int nodes = 1;
};

struct JobLog {
  int nodes = 0;                ///< of the machine, by the header; 0: not told
  double length_s = 0;          ///< of the window, or until the last submission
  int skipped = 0;              ///< lines of jobs that never ran
  std::vector<LoggedJob> jobs;  ///< in order of submission
};

/// Read a log of 18 fields a line.  Of the header it understands MaxNodes and
/// MaxProcs (a node has MaxProcs / MaxNodes processors), WindowStart and
/// WindowEnd (in the time of field 2; a log without them is one window).  A
/// job that tells no limit is given the longest one of the log.  Fails, naming
/// the line, where a field is not a number.
Result<JobLog> read_swf(std::string const& file);

}  // namespace gleaner::sim
