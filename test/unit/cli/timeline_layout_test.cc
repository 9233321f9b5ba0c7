// SPDX-License-Identifier: Apache-2.0
/// Ticks, boxes and stairs of the timeline.
#include "cli/timeline_layout.hh"

#include "test/unit/catch.hh"

namespace gleaner::cli {

TEST_CASE("ticks are at times people count in") {
  CHECK(tick_step_s(90, 15) == 10);
  CHECK(tick_step_s(75, 15) == 5);
  CHECK(tick_step_s(600, 15) == 60);
  CHECK(tick_step_s(7 * 86400, 15) == 86400);
}

TEST_CASE("a tick is named in the unit of the steps") {
  CHECK(tick_label(40, 10) == "40 s");
  CHECK(tick_label(120, 60) == "2 min");
  CHECK(tick_label(7200, 3600) == "2 h");
}

TEST_CASE("round steps are 1, 2 or 5 times a power of ten") {
  CHECK(round_step(0.83) == Approx(0.5));
  CHECK(round_step(3.9) == Approx(2));
  CHECK(round_step(10) == Approx(10));
}

TEST_CASE("a scale maps its ends to its ends") {
  Scale const scale{100, 200, 0, 50};
  CHECK(scale.at(100) == 0);
  CHECK(scale.at(150) == 25);
  CHECK(scale.at(200) == 50);
}

TEST_CASE("a job on neighbouring nodes is one box, on others several") {
  std::vector<std::string> const nodes = {"n1", "n2", "n3", "n4", "n5"};
  RigidJob job;
  job.start_s = 10;
  job.end_s = 20;
  job.nodes = *NodeSet::parse("n[1-2,4]");
  std::vector<RigidJob> const jobs = {job};
  auto const boxes = blocks(jobs, nodes, {0, 15});
  REQUIRE(boxes.size() == 2);
  CHECK(boxes[0].first_row == 0);
  CHECK(boxes[0].rows == 2);
  CHECK(boxes[1].first_row == 3);
  CHECK(boxes[1].rows == 1);
  CHECK(boxes[1].span == Span{10, 15});  // cut at the window's end
}

TEST_CASE("a job that did not run has no box") {
  std::vector<RigidJob> const jobs(1);
  CHECK(blocks(jobs, {"n1"}, {0, 10}).empty());
}

TEST_CASE("counting over time adds up the nodes") {
  auto const count = count_over_time({{{0, 10}}, {{5, 8}, {10, 12}}});
  CHECK(count == std::vector<Change>{{0, 1}, {5, 2}, {8, 1}, {12, 0}});
}

TEST_CASE("smoothing means a point with its neighbours") {
  auto const points = smoothed({{0, 1, 3}, {1, 2, 6}, {2, 3, 9}}, 1);
  CHECK(points[0].loss == 4.5);
  CHECK(points[1].loss == 6);
  CHECK(points[2].loss == 7.5);
}

}  // namespace gleaner::cli
