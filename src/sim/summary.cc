// SPDX-License-Identifier: Apache-2.0
#include "sim/summary.hh"

#include <algorithm>
#include <numeric>

#include "core/quantile.hh"

namespace gleaner::sim {
namespace {

constexpr double s_per_h = 3600;

double mean(std::vector<double> const& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(values.size());
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

nlohmann::ordered_json summary(Outcome const& outcome) {
  double const hours = outcome.length_s / s_per_h;
  return {
      {"hours", hours},
      {"samples", outcome.made_samples},
      {"samples_per_h", ratio(outcome.made_samples, hours)},
      {"normalised_node_h", outcome.made_node_s / s_per_h},
      {"trainings", outcome.trainings},
      {"finished", outcome.finished},
      {"rescales", outcome.rescales},
      {"preempts", outcome.preempts},
      {"rescale_cost", outcome.rescale_cost},
      {"preempt_cost", outcome.preempt_cost},
      {"node_h_idle", outcome.idle_node_s / s_per_h},
      {"node_h_used", outcome.used_node_s / s_per_h},
      {"harvest_ratio", ratio(outcome.used_node_s, outcome.idle_node_s)},
      {"profile_visits", outcome.visits},
      {"profile_visits_given_up", outcome.visits_given_up},
      {"profile_node_h", outcome.visits_node_s / s_per_h},
      {"decisions", outcome.solve_ms.size()},
      {"solves_failed", outcome.solves_failed},
      {"solve_ms_mean", mean(outcome.solve_ms)},
      {"solve_ms_p99", quantile(outcome.solve_ms, 0.99)},
      {"solve_ms_max", quantile(outcome.solve_ms, 1)},
  };
}

}  // namespace gleaner::sim
