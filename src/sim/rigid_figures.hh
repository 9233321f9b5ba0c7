// SPDX-License-Identifier: Apache-2.0
/// What rigid jobs felt of the trainings on their machine.
#pragma once

#include <optional>
#include <vector>

#include "sim/swf.hh"

namespace gleaner::sim {

class Backfill;
using Starts = std::vector<std::optional<double>>;  ///< as Backfill::starts_s

struct RigidFigures {
  int jobs = 0;             ///< submitted in the window and started in it
  double wait_s = 0;        ///< mean, with trainings on the machine
  double wait_alone_s = 0;  ///< mean, without
  double delay_s = 0;       ///< mean of how much later each job started
  double delay_s_max = 0;
  int moved = 0;                 ///< jobs that did not start at the same time
  double busy_node_s = 0;        ///< in the window, with trainings
  double busy_alone_node_s = 0;  ///< without
};

/// Go on to `until_s` with nothing lent.
void play_alone(Backfill& backfill, double until_s);

/// Compare the same log's starts with and without trainings, in the window
/// from 0 to `until_s`.
RigidFigures rigid_figures(JobLog const& log, Starts const& with,
                           Starts const& alone, double until_s);

}  // namespace gleaner::sim
