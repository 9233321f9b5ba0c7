// SPDX-License-Identifier: Apache-2.0
/// What the exact policy promises beyond being optimal (see plan_test.cc).
#include "test/unit/alloc/cases.hh"

namespace gleaner::alloc {
namespace {

auto best(int node_count, std::vector<Trainer> trainers,
          double forward_looking_s = 120) {
  return plan_for("exact", node_count, std::move(trainers), forward_looking_s);
}

TEST_CASE("concave trainers share alike, the earlier one gets the odd node") {
  auto plan = best(5, {trainer("a", 1, 8), trainer("b", 1, 8)});
  CHECK(plan["a"] == "n[1-3]");
  CHECK(plan["b"] == "n[4-5]");
}

TEST_CASE("nodes go where they speed up training most") {
  auto a = trainer("a", 1, 4), b = trainer("b", 1, 4);
  a.speed = {0, 1, 1.1, 1.2, 1.3};
  b.speed = {0, 1, 2, 3, 4};
  auto plan = best(4, {a, b});
  CHECK(plan["a"] == "n1");
  CHECK(plan["b"] == "n[2-4]");
}

TEST_CASE("a step in the curve is found: curves need not be concave") {
  auto a = trainer("a", 1, 4), b = trainer("b", 1, 4);
  a.speed = {0, 1, 1, 1, 9};
  auto plan = best(4, {a, b});
  CHECK(plan["a"] == "n[1-4]");
  CHECK(plan["b"] == "");
}

TEST_CASE("a resize that does not pay within the forward-looking time waits") {
  auto a = trainer("a", 1, 4, "n1");
  a.expand_s = 10;
  CHECK(best(2, {a}, 5)["a"] == "n1");
  CHECK(best(2, {a}, 120)["a"] == "n[1-2]");
}

TEST_CASE(
    "to give nodes up costs the time to shrink, to take some that to expand") {
  // For b a node is worth 12 s of a's two nodes more than for a.
  auto a = trainer("a", 1, 2, "n[1-2]"), b = trainer("b", 1, 1);
  a.speed = {0, 1, 2};
  b.speed = {0, 1.1};
  a.shrink_s = 4;
  a.expand_s = 100;
  CHECK(best(2, {a, b})["b"] == "n2");
  std::swap(a.shrink_s, a.expand_s);
  CHECK(best(2, {a, b})["b"] == "");
}

TEST_CASE("a tie moves nobody") {
  auto plan = best(3, {trainer("a", 1, 8, "n1"), trainer("b", 1, 8, "n[2-3]")});
  CHECK(plan["a"] == "n1");
  CHECK(plan["b"] == "n[2-3]");
}

TEST_CASE("the arrival of a trainer makes another give up nodes") {
  auto plan = best(4, {trainer("a", 1, 8, "n[1-4]"), trainer("b", 1, 8)});
  CHECK(plan["a"] == "n[1-2]");
  CHECK(plan["b"] == "n[3-4]");
}

TEST_CASE("a trainer that lost nodes below its minimum gives up the rest") {
  auto plan = best(1, {trainer("a", 2, 4, "n1")});
  CHECK(plan["a"] == "");
}

}  // namespace
}  // namespace gleaner::alloc
