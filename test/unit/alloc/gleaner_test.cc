// SPDX-License-Identifier: Apache-2.0
/// What policy `gleaner` knows beyond the published objective.  Each test is
/// one rule.
#include "test/unit/alloc/cases.hh"
#include "test/unit/alloc/random_problems.hh"

namespace gleaner::alloc {
namespace {

Plan plan_with(Problem const& problem, Extras const& extras) {
  AllocatorOptions options;
  options.extras = extras;
  auto allocator = make_allocator(options);
  REQUIRE(allocator);
  auto decision =
      (*allocator)->allocate(problem, std::chrono::milliseconds(1000));
  REQUIRE(decision);
  return decision->plan;
}

std::vector<int> counts(Plan const& plan) {
  std::vector<int> result;
  for (auto const& got : plan) result.push_back(static_cast<int>(got.size()));
  return result;
}

Trainer times(double factor, Trainer t) {
  for (auto& speed : t.speed) speed *= factor;
  return t;
}

TEST_CASE("without its extras gleaner is exact") {
  RandomProblems problems("gleaner_test");
  INFO("GLEANER_SEED=" << problems.seed());
  for (int i = 0; i < 200; ++i) {
    auto const problem = problems.next(24, 6);
    CHECK(plan_with(problem, Extras::none()) == solve("exact", problem));
  }
}

TEST_CASE("a slow model is not starved by a fast one") {
  Problem const problem{
      nodes(4), {times(1000, trainer("fast", 1, 4)), trainer("slow", 1, 4)}};
  CHECK(counts(solve("exact", problem)) == std::vector{4, 0});
  CHECK(counts(solve("gleaner", problem)) == std::vector{2, 2});
}

TEST_CASE("speed counts by the weight of its trainer") {
  Problem problem{nodes(4), {trainer("a", 1, 4), trainer("b", 1, 4)}};
  problem.trainers[1].weight = 3;
  CHECK(counts(solve("gleaner", problem)) == std::vector{0, 4});
}

TEST_CASE("a start of which the share charged does not pay waits") {
  Problem problem{nodes(2), {trainer("a", 1, 2)}, 100, 0};
  // Three tenths of a start are charged: in 100 s one of up to 333 s pays.
  double const limit_s = 333;
  problem.trainers[0].start_s = 0.9 * limit_s;
  CHECK(counts(solve("gleaner", problem)) == std::vector{2});
  problem.trainers[0].start_s = 1.1 * limit_s;
  CHECK(counts(solve("gleaner", problem)) == std::vector{0});
  CHECK(counts(solve("exact", problem)) == std::vector{2});
}

TEST_CASE("a trainer that runs is charged no start again") {
  Problem problem{nodes(3), {trainer("a", 1, 3, "n1")}, 100, 0};
  problem.trainers[0].start_s = 3330;
  CHECK(counts(solve("gleaner", problem)) == std::vector{3});
}

TEST_CASE("ties go to the trainer with most work left") {
  Problem problem{nodes(3), {trainer("a", 1, 4), trainer("b", 1, 4)}};
  problem.trainers[0].work_left = 10;
  problem.trainers[1].work_left = 1000;
  CHECK(counts(solve("gleaner", problem)) == std::vector{1, 2});
  CHECK(counts(solve("exact", problem)) == std::vector{2, 1});
}

TEST_CASE("while others wait to be admitted, work left does not count") {
  Problem problem{nodes(3), {trainer("a", 1, 4), trainer("b", 1, 4)}};
  problem.trainers[1].work_left = 1000;
  problem.trainers_waiting = 1;
  CHECK(counts(solve("gleaner", problem)) == std::vector{2, 1});
}

TEST_CASE("losses keep trainers from growing apart") {
  // Without them a gains more from the third node than b from the second; but
  // on three nodes a loses the time of a shrink more often than on two.
  auto a = trainer("a", 1, 3), b = trainer("b", 1, 3);
  a.speed = {0, 1, 2, 2.98};
  b.speed = {0, 1, 1.97, 2.9};
  Problem problem{nodes(4), {a, b}};
  problem.forward_looking_s = 1000;
  CHECK(counts(solve("gleaner", problem)) == std::vector{3, 1});
  for (auto& t : problem.trainers) t.shrink_s = 60;
  CHECK(counts(solve("gleaner", problem)) == std::vector{2, 2});
  CHECK(counts(solve("exact", problem)) == std::vector{3, 1});
}

TEST_CASE("a trainer gets the nodes that its deadline needs") {
  Problem problem{nodes(4), {trainer("a", 1, 4), trainer("b", 1, 4)}};
  auto& b = problem.trainers[1];
  b.work_left = 1000;
  b.deadline_s = 1000 / b.speed[3];
  CHECK(counts(solve("gleaner", problem)) == std::vector{1, 3});
}

}  // namespace
}  // namespace gleaner::alloc
