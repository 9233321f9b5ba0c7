// SPDX-License-Identifier: Apache-2.0
#include "sim/rigid_figures.hh"

#include <algorithm>

#include "core/contract.hh"
#include "sim/backfill.hh"

namespace gleaner::sim {
namespace {

/// Node time of one job between 0 and until_s.
double busy_node_s(LoggedJob const& job, std::optional<double> start_s,
                   double until_s) {
  if (!start_s) return 0;
  double const from = std::max(0.0, *start_s);
  double const to = std::min(until_s, *start_s + job.run_s);
  return std::max(0.0, to - from) * job.nodes;
}

}  // namespace

void play_alone(Backfill& backfill, double until_s) {
  for (auto next = backfill.next_s(); next && *next <= until_s;
       next = backfill.next_s())
    backfill.advance({});
}

RigidFigures rigid_figures(JobLog const& log, Starts const& with,
                           Starts const& alone, double until_s) {
  EXPECT(with.size() == log.jobs.size() && alone.size() == log.jobs.size(),
         with.size(), alone.size(), log.jobs.size());
  RigidFigures figures;
  for (std::size_t i = 0; i < log.jobs.size(); ++i) {
    auto const& job = log.jobs[i];
    figures.busy_node_s += busy_node_s(job, with[i], until_s);
    figures.busy_alone_node_s += busy_node_s(job, alone[i], until_s);
    if (with[i].has_value() != alone[i].has_value()) ++figures.moved;
    if (!with[i] || !alone[i] || job.submit_s < 0) continue;
    double const delay_s = *with[i] - *alone[i];
    ++figures.jobs;
    figures.moved += delay_s != 0;
    figures.wait_s += *with[i] - job.submit_s;
    figures.wait_alone_s += *alone[i] - job.submit_s;
    figures.delay_s += delay_s;
    figures.delay_s_max = std::max(figures.delay_s_max, delay_s);
  }
  if (figures.jobs > 0)
    for (double* sum :
         {&figures.wait_s, &figures.wait_alone_s, &figures.delay_s})
      *sum /= figures.jobs;
  return figures;
}

}  // namespace gleaner::sim
