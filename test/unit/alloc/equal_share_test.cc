// SPDX-License-Identifier: Apache-2.0
/// What the equal-share policy promises.  Each test is one rule.
#include "test/unit/alloc/cases.hh"

namespace gleaner {
namespace {

Plan plan_for(std::string_view available, std::vector<Trainer> trainers) {
  return solve("equal_share", {nodes(available), std::move(trainers)});
}

TEST_CASE("equal share splits idle nodes evenly") {
  auto plan = plan_for("n[1-4]", {trainer("a", 1, 8), trainer("b", 1, 8)});
  CHECK(plan["a"].size() == 2);
  CHECK(plan["b"].size() == 2);
}

TEST_CASE("equal share never exceeds what a trainer can use") {
  auto plan = plan_for("n[1-4]", {trainer("a", 1, 1), trainer("b", 1, 8)});
  CHECK(plan["a"].size() == 1);
  CHECK(plan["b"].size() == 3);
}

TEST_CASE("what is left over goes to the earliest trainer that can use it") {
  auto plan = plan_for(
      "n[1-5]", {trainer("a", 1, 2), trainer("b", 1, 8), trainer("c", 1, 8)});
  CHECK(plan["a"].size() == 2);
  CHECK(plan["b"].size() == 3);
  CHECK(plan["c"].size() == 0);
}

TEST_CASE("a share of exactly nodes_min counts as too little") {
  // The published baseline compares s > nodes_min: both go to the left-overs.
  auto plan = plan_for("n[1-4]", {trainer("a", 2, 4), trainer("b", 2, 4)});
  CHECK(plan["a"].size() == 4);
  CHECK(plan["b"].size() == 0);
}

TEST_CASE("a later trainer waits when its minimum does not fit") {
  auto plan = plan_for("n[1-3]", {trainer("a", 2, 2), trainer("b", 2, 2)});
  CHECK(plan["a"].size() == 2);
  CHECK(plan["b"].empty());
}

TEST_CASE("a trainer shrinks in place when a node is reclaimed") {
  // n3 was taken back by Slurm: it is no longer among the available nodes.
  auto plan = plan_for("n[1-2]", {trainer("a", 1, 8, "n[1-3]")});
  CHECK(plan["a"].to_string() == "n[1-2]");
}

TEST_CASE("running members stay where they are") {
  auto plan =
      plan_for("n[1-4]", {trainer("a", 1, 8), trainer("b", 1, 8, "n[1-2]")});
  CHECK(plan["b"].to_string() == "n[1-2]");
}

TEST_CASE("equal share of nothing is nothing") {
  CHECK(plan_for("n[1-4]", {}).empty());
  CHECK(plan_for("", {trainer("a", 1, 8)})["a"].empty());
}

}  // namespace
}  // namespace gleaner
