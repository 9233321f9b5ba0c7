// SPDX-License-Identifier: Apache-2.0
/// What the exact policy promises beyond being optimal (see plan_test.cc).
#include "alloc/exact.hh"

#include "test/unit/alloc/cases.hh"

namespace gleaner {
namespace {

Plan plan_for(std::string_view available, std::vector<Trainer> trainers,
              double forward_looking_s = 120) {
  return solve("exact",
               {nodes(available), std::move(trainers), forward_looking_s, 0});
}

TEST_CASE("concave trainers share alike, the earlier one gets the odd node") {
  auto plan = plan_for("n[1-5]", {trainer("a", 1, 8), trainer("b", 1, 8)});
  CHECK(plan["a"].size() == 3);
  CHECK(plan["b"].size() == 2);
}

TEST_CASE("nodes go where they speed up training most") {
  auto a = trainer("a", 1, 4), b = trainer("b", 1, 4);
  a.speed = {0, 1, 1.1, 1.2, 1.3};
  b.speed = {0, 1, 2, 3, 4};
  auto plan = plan_for("n[1-4]", {a, b});
  CHECK(plan["a"].size() == 1);
  CHECK(plan["b"].size() == 3);
}

TEST_CASE("a step in the curve is found: curves need not be concave") {
  auto a = trainer("a", 1, 4), b = trainer("b", 1, 4);
  a.speed = {0, 1, 1, 1, 9};
  auto plan = plan_for("n[1-4]", {a, b});
  CHECK(plan["a"].size() == 4);
  CHECK(plan["b"].empty());
}

TEST_CASE("a resize that does not pay within the forward-looking time waits") {
  auto a = trainer("a", 1, 4, "n1");
  a.expand_s = 10;
  CHECK(plan_for("n[1-2]", {a}, 5)["a"].size() == 1);
  CHECK(plan_for("n[1-2]", {a}, 120)["a"].size() == 2);
}

TEST_CASE("a tie moves nobody") {
  auto plan = plan_for(
      "n[1-3]", {trainer("a", 1, 8, "n1"), trainer("b", 1, 8, "n[2-3]")});
  CHECK(plan["a"].to_string() == "n1");
  CHECK(plan["b"].to_string() == "n[2-3]");
}

TEST_CASE("the arrival of a trainer makes another give up nodes") {
  auto plan =
      plan_for("n[1-4]", {trainer("a", 1, 8, "n[1-4]"), trainer("b", 1, 8)});
  CHECK(plan["a"].to_string() == "n[1-2]");
  CHECK(plan["b"].to_string() == "n[3-4]");
}

TEST_CASE("a trainer that lost nodes below its minimum gives up the rest") {
  auto plan = plan_for("n1", {trainer("a", 2, 4, "n[1-2]")});
  CHECK(plan["a"].empty());
}

TEST_CASE("a thousand nodes and a hundred trainers are planned in good time") {
  std::vector<Trainer> trainers;
  for (int i = 0; i < 100; ++i)
    trainers.push_back(trainer(std::to_string(i), 1, 32));
  auto const began = std::chrono::steady_clock::now();
  auto plan = plan_for("n[0001-1024]", trainers);
  auto const took = std::chrono::steady_clock::now() - began;
  std::size_t used = 0;
  for (auto const& [id, set] : plan) used += set.size();
  CHECK(used == 1024);
  // Milliseconds when optimised; the bound only catches a wrong order.
  CHECK(took < std::chrono::seconds(5));
}

}  // namespace
}  // namespace gleaner
