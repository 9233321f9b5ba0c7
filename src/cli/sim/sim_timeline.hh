// SPDX-License-Identifier: Apache-2.0
/// The picture of a simulated run.
#pragma once

#include <string>

#include "cli/sim/simulate.hh"

namespace gleaner::cli {

/// Over time: idle nodes and those of them that trained; trainings with and
/// without nodes; what was made; planned resizes and losses; and, for some of
/// the nodes, which training had them.  An SVG file.
std::string sim_timeline_svg(SimResult const& result);

/// Parts of a run of equal length, and what happened in them on average.
struct Bin {
  double length_s = 0;  ///< how much of it the run covers
  double idle = 0;      ///< nodes, mean
  double used = 0;
  double trainers = 0;
  double waiting = 0;
  double samples_per_h = 0;
  double losses_per_h = 0;
  double resizes_per_h = 0;
};
std::vector<Bin> binned(std::vector<sim::Interval> const& intervals,
                        double length_s, std::size_t bins);

}  // namespace gleaner::cli
