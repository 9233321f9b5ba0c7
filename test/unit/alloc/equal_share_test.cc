// SPDX-License-Identifier: Apache-2.0
/// What the equal-share policy promises.  Each test is one rule.
#include "alloc/equal_share.hh"

#include "test/unit/alloc/cases.hh"

namespace gleaner::alloc {
namespace {

auto shares(int node_count, std::vector<Trainer> trainers) {
  return plan_for("equal_share", node_count, std::move(trainers));
}

TEST_CASE("equal share splits idle nodes evenly") {
  auto plan = shares(4, {trainer("a", 1, 8), trainer("b", 1, 8)});
  CHECK(plan["a"] == "n[1-2]");
  CHECK(plan["b"] == "n[3-4]");
}

TEST_CASE("equal share never exceeds what a trainer can use") {
  auto plan = shares(4, {trainer("a", 1, 1), trainer("b", 1, 8)});
  CHECK(plan["a"] == "n1");
  CHECK(plan["b"] == "n[2-4]");
}

TEST_CASE("what is left over goes to the earliest trainer that can use it") {
  auto plan =
      shares(5, {trainer("a", 1, 2), trainer("b", 1, 8), trainer("c", 1, 8)});
  CHECK(plan["a"] == "n[1-2]");
  CHECK(plan["b"] == "n[3-5]");
  CHECK(plan["c"] == "");
}

TEST_CASE("a share of exactly nodes_min counts as too little") {
  // The published baseline compares s > nodes_min: both go to the left-overs.
  auto plan = shares(4, {trainer("a", 2, 4), trainer("b", 2, 4)});
  CHECK(plan["a"] == "n[1-4]");
  CHECK(plan["b"] == "");
}

TEST_CASE("a later trainer waits when its minimum does not fit") {
  auto plan = shares(3, {trainer("a", 2, 2), trainer("b", 2, 2)});
  CHECK(plan["a"] == "n[1-2]");
  CHECK(plan["b"] == "");
}

TEST_CASE("no more is shared out than there is, whichever trainer holds it") {
  auto plan = shares(3, {trainer("a", 1, 4), trainer("b", 1, 8, "n[1-3]")});
  CHECK(plan["a"] == "n[1-3]");
  CHECK(plan["b"] == "");
}

TEST_CASE("shares that are too small for a trainer go to nobody") {
  CHECK(share_counts({trainer("a", 4, 8), trainer("b", 1, 1)}, 3) ==
        std::vector{0, 1});
}

TEST_CASE("a trainer whose node was reclaimed keeps the others") {
  auto plan = shares(2, {trainer("a", 1, 8, "n[1-2]")});
  CHECK(plan["a"] == "n[1-2]");
}

TEST_CASE("running members stay where they are") {
  auto plan = shares(4, {trainer("a", 1, 8), trainer("b", 1, 8, "n[1-2]")});
  CHECK(plan["b"] == "n[1-2]");
}

TEST_CASE("equal share of nothing is nothing") {
  CHECK(shares(4, {}).empty());
  CHECK(shares(0, {trainer("a", 1, 8)})["a"] == "");
}

}  // namespace
}  // namespace gleaner::alloc
