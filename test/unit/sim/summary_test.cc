// SPDX-License-Identifier: Apache-2.0
/// What the figures mean.
#include "sim/summary.hh"

#include "test/unit/sim/cases.hh"

namespace gleaner::sim {
namespace {

TEST_CASE("times are told in hours, shares as ratios") {
  Outcome outcome;
  outcome.length_s = 7200;
  outcome.made_samples = 10;
  outcome.idle_node_s = 36000;
  outcome.used_node_s = 9000;
  outcome.solve_ms = {1, 2, 6};
  auto const json = summary(outcome);
  CHECK(json["hours"] == 2);
  CHECK(json["samples_per_h"] == 5);
  CHECK(json["node_h_idle"] == 10);
  CHECK(json["node_h_used"] == 2.5);
  CHECK(json["harvest_ratio"] == 0.25);
  CHECK(json["solve_ms_mean"] == 3);
  CHECK(json["solve_ms_p99"] == 6);
  CHECK(json["solve_ms_max"] == 6);
}

TEST_CASE("a run of no length has figures, too") {
  auto const json = summary({});
  CHECK(json["samples_per_h"] == 0);
  CHECK(json["harvest_ratio"] == 0);
}

}  // namespace
}  // namespace gleaner::sim
