// SPDX-License-Identifier: Apache-2.0
/// Who pays for a training that is measured on another number of nodes?
#include "alloc/visiting.hh"

#include <set>

#include "test/unit/alloc/cases.hh"
#include "test/unit/alloc/random_problems.hh"

namespace gleaner::alloc {
namespace {

constexpr std::chrono::minutes limit{1};

VisitedPlan visited(Problem const& problem,
                    std::vector<VisitedSize> const& visits) {
  auto const policy = make_allocator("gleaner");
  REQUIRE(policy);
  auto plan = (*policy)->allocate(problem, limit);
  REQUIRE(plan);
  return with_visits(plan->plan, **policy, problem, visits, limit);
}

TEST_CASE("who visits fewer nodes leaves the others idle") {
  Problem const problem{
      nodes(4), {trainer("a", 1, 4, "n[1-2]"), trainer("b", 1, 4, "n[3-4]")}};
  auto const result = visited(problem, {{0, 1, {}}});
  CHECK(result.granted == std::vector<bool>{true});
  auto const plan = written(problem, result.plan);
  CHECK(plan.at("a") == "n1");
  CHECK(plan.at("b") == "n[3-4]");
}

TEST_CASE("who visits more nodes gets them from who loses least") {
  auto slow = trainer("b", 1, 4, "n[3-4]");
  slow.speed = {0, 1, 1.1, 1.1, 1.1};
  Problem const problem{
      nodes(6),
      {trainer("a", 1, 4, "n[1-2]"), slow, trainer("c", 1, 4, "n[5-6]")}};
  auto const result = visited(problem, {{0, 3, {}}});
  CHECK(result.granted == std::vector<bool>{true});
  CHECK(result.plan[0].size() == 3);
  CHECK(result.plan[1].size() == 1);
  CHECK(result.plan[2].size() == 2);
}

TEST_CASE("nobody goes below its minimum for a visit") {
  Problem const problem{
      nodes(4), {trainer("a", 1, 4, "n[1-2]"), trainer("b", 2, 4, "n[3-4]")}};
  auto const result = visited(problem, {{0, 3, {}}});
  CHECK(result.granted == std::vector<bool>{false});
  CHECK(result.plan[1].size() >= 2);
}

TEST_CASE("who keeps its nodes gives none for a visit") {
  Problem const problem{
      nodes(6),
      {trainer("a", 1, 4, "n[1-2]"), trainer("b", 1, 4, "n[3-4]"),
       trainer("c", 1, 4, "n[5-6]")}};
  auto const result = visited(problem, {{0, 3, {false, true, false}}});
  CHECK(result.granted == std::vector<bool>{true});
  CHECK(result.plan[1].size() == 2);
  CHECK(result.plan[2].size() == 1);
}

TEST_CASE("no visit goes past the end of a hole") {
  Problem problem{nodes(4),
                  {trainer("a", 1, 4, "n[1-2]"), trainer("b", 1, 4, "n3")}};
  problem.nodes[0].hole_s = 20;
  VisitedSize visit{0, 1, {}, 15};
  CHECK(visited(problem, {visit}).granted == std::vector<bool>{true});
  visit.needs_s = 25;
  auto const result = visited(problem, {visit});
  CHECK(result.granted == std::vector<bool>{false});
  CHECK(result.plan == visited(problem, {}).plan);
}

TEST_CASE("without visits the plan is the policy's") {
  RandomProblems problems("visiting_test");
  INFO("GLEANER_SEED=" << problems.seed());
  for (int i = 0; i < 100; ++i) {
    auto const problem = problems.next(24, 6);
    CHECK(visited(problem, {}).plan == solve("gleaner", problem));
  }
}

TEST_CASE("a plan with visits is a plan, and all keep their minimum") {
  RandomProblems problems("visiting_test");
  INFO("GLEANER_SEED=" << problems.seed());
  int granted = 0, refused = 0;
  for (int i = 0; i < 1000; ++i) {
    auto const problem = problems.next(24, 6);
    auto const plan = solve("gleaner", problem);
    std::vector<VisitedSize> visits;
    for (std::size_t t = 0; t < problem.trainers.size() && t < 2; ++t) {
      auto const& trainer = problem.trainers[t];
      int const range = trainer.nodes_max - trainer.nodes_min + 1;
      visits.push_back({t, trainer.nodes_min + i % range, {}});
    }
    auto const result = visited(problem, visits);
    INFO("case " << i);
    std::set<NodeIndex> taken;
    for (std::size_t t = 0; t < result.plan.size(); ++t) {
      auto const& trainer = problem.trainers[t];
      auto const count = static_cast<int>(result.plan[t].size());
      for (auto const node : result.plan[t])
        CHECK((node < problem.nodes.size() && taken.insert(node).second));
      CHECK((count == 0 ||
             (count >= trainer.nodes_min && count <= trainer.nodes_max)));
      // Not for a visit: without one the policy may let it wait.
      if (static_cast<int>(trainer.nodes.size()) >= trainer.nodes_min &&
          !plan[t].empty())
        CHECK(count >= trainer.nodes_min);
    }
    for (std::size_t v = 0; v < visits.size(); ++v) {
      bool const is = result.granted[v];
      ++(is ? granted : refused);
      CHECK(is == (static_cast<int>(result.plan[visits[v].trainer].size()) ==
                   visits[v].nodes));
    }
  }
  CHECK(granted > 100);
  CHECK(refused > 10);
}

}  // namespace
}  // namespace gleaner::alloc
