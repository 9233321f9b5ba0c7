// SPDX-License-Identifier: Apache-2.0
/// What stands above the timeline: what was seen, and nothing that was not.
#pragma once

#include <string>

#include "cli/report/summary.hh"

namespace gleaner::cli {

struct TimelineTitle {
  std::string headline;  ///< "Two trainings on the idle time of 8 Slurm nodes"
  std::string trained;   ///< share of idle time, resizes, stalls, samples
  std::string others;    ///< how the other jobs started; "" where unknown
};

/// A figure that is unknown is left out, or said to be.
TimelineTitle timeline_title(Summary const& summary);

}  // namespace gleaner::cli
