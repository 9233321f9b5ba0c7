// SPDX-License-Identifier: Apache-2.0
/// How a recording is played.
#include "sim/recorded_holes.hh"

#include "test/unit/sim/cases.hh"

namespace gleaner::sim {
namespace {

TEST_CASE("events of the same moment are one change") {
  RecordedHoles holes(events("0 a+ b+, 5 a- c+"));
  CHECK(holes.next_s() == 0);
  CHECK(holes.advance({}).joiners == std::vector<NodeNumber>{0, 1});
  CHECK(holes.next_s() == 5);
  auto const change = holes.advance({});
  CHECK(change.leavers == std::vector<NodeNumber>{0});
  CHECK(change.joiners == std::vector<NodeNumber>{2});
  CHECK_FALSE(holes.next_s());
}

TEST_CASE("a recording tells no hole's end unless it is asked to") {
  RecordedHoles holes(events("0 a+, 1 a-"));
  holes.advance({});
  CHECK_FALSE(holes.end_s(0));
}

TEST_CASE("a hole's end is told from known_ahead_s before it") {
  RecordedHoles holes(events("0 a+, 40 b+, 100 a-, 200 a+"), {60, 0});
  holes.advance({});
  CHECK_FALSE(holes.end_s(0));
  holes.advance({});
  CHECK(holes.end_s(0) == 100);
  CHECK_FALSE(holes.end_s(1));
  holes.advance({});
  holes.advance({});
  CHECK_FALSE(holes.end_s(0));  // the next hole of a has no end
}

TEST_CASE("a seed changes the order within a moment, and nothing else") {
  auto const all = events("0 a+ b+ c+ d+ e+ f+ g+ h+, 1 a-");
  RecordedHoles holes(all, {0, 7});
  auto nodes = holes.advance({}).joiners;
  CHECK(nodes != std::vector<NodeNumber>{0, 1, 2, 3, 4, 5, 6, 7});
  std::sort(nodes.begin(), nodes.end());
  CHECK(nodes == std::vector<NodeNumber>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(holes.advance({}).leavers == std::vector<NodeNumber>{0});
}

}  // namespace
}  // namespace gleaner::sim
