// SPDX-License-Identifier: Apache-2.0
/// Boxes and stairs of the timeline.
#include "cli/report/timeline_layout.hh"

#include "test/unit/catch.hh"

namespace gleaner::cli {

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
