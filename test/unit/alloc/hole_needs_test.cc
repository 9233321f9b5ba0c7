// SPDX-License-Identifier: Apache-2.0
/// Which holes are no option for a trainer, by what starts and resizes cost it.
#include "alloc/hole_needs.hh"

#include "test/unit/alloc/cases.hh"

namespace gleaner::alloc {
namespace {

Trainer costing(Trainer trainer, double start_s, double expand_s,
                double shrink_s) {
  trainer.start_s = start_s;
  trainer.expand_s = expand_s;
  trainer.shrink_s = shrink_s;
  return trainer;
}

/// Policy gleaner with what is off by itself.
Plan heeding(Problem const& problem) {
  AllocatorOptions options;
  options.policy = "gleaner";
  options.extras.short_holes = true;
  auto const policy = make_allocator(options);
  REQUIRE(policy);
  auto const decision =
      (*policy)->allocate(problem, std::chrono::milliseconds(1000));
  REQUIRE(decision);
  return decision->plan;
}

TEST_CASE("a hole must be as long as starting, or growing, and leaving take") {
  struct Row {
    char const* what;
    char const* now;
    std::vector<double> speed;
    double start_s, expand_s, shrink_s;
    double needed_s;
  } const rows[] = {
      {"waits: start and leave", "", {0, 1, 2}, 30, 5, 2, 32},
      {"waits, at no cost", "", {0, 1, 2}, 0, 0, 0, 0},
      {"one of two: regained at its own speed", "n1", {0, 1, 2}, 30, 5, 2, 7},
      {"two of three: at half", "n[1-2]", {0, 1, 2, 3}, 30, 5, 2, 14},
      {"one of three: two nodes regain it", "n1", {0, 1, 2, 3}, 30, 5, 2, 3.5},
      {"scales badly", "n1", {0, 1, 1.1}, 30, 5, 2, 70},
      {"gains nothing by more", "n1", {0, 1, 1}, 30, 5, 2, 0},
      {"has all it can use", "n[1-2]", {0, 1, 2}, 30, 5, 2, 0},
  };
  for (auto const& row : rows) {
    CAPTURE(row.what);
    auto t = trainer("a", 1, static_cast<int>(row.speed.size()) - 1, row.now);
    t.speed = row.speed;
    t = costing(t, row.start_s, row.expand_s, row.shrink_s);
    CHECK(hole_s_needed(t) == Approx(row.needed_s));
  }
}

TEST_CASE("a training that loads for a minute gets no node for half of one") {
  Problem problem{nodes(2),
                  {costing(trainer("slow", 1, 2), 60, 5, 1),
                   costing(trainer("quick", 1, 1), 1, 1, 1)}};
  problem.nodes[0].hole_s = 30;
  auto const plan = written(problem, heeding(problem));
  CHECK(plan.at("slow") == "n2");
  CHECK(plan.at("quick") == "n1");
}

TEST_CASE("where only short holes are there it waits") {
  Problem problem{nodes(2), {costing(trainer("slow", 1, 2), 60, 5, 1)}};
  for (auto& node : problem.nodes) node.hole_s = 30;
  CHECK(written(problem, heeding(problem)).at("slow").empty());
  CHECK(written(problem, solve("exact", problem)).at("slow") == "n[1-2]");
}

TEST_CASE("what it holds it keeps, however soon it ends") {
  Problem problem{nodes(1), {costing(trainer("slow", 1, 1, "n1"), 60, 5, 1)}};
  problem.nodes[0].hole_s = 3;
  CHECK(written(problem, heeding(problem)).at("slow") == "n1");
}

TEST_CASE("holes that are long enough for all change nothing") {
  Problem problem{nodes(4),
                  {costing(trainer("a", 1, 4), 60, 5, 1),
                   costing(trainer("b", 1, 4, "n1"), 60, 5, 1)}};
  problem.nodes[2].hole_s = 600;
  auto const same = without_short_holes(problem);
  for (auto const& t : same.trainers) CHECK(t.usable.empty());
  for (auto const& node : same.nodes) CHECK(node.kind == 0);
}

TEST_CASE("kinds stay kinds: what it could not use it cannot use") {
  Problem problem{nodes(4),
                  {costing(trainer("a", 1, 4), 60, 5, 1),
                   costing(trainer("b", 1, 4), 1, 1, 1)}};
  problem.nodes[0].hole_s = 30;
  problem.nodes[2].kind = problem.nodes[3].kind = 1;
  problem.nodes[3].hole_s = 30;
  problem.trainers[0].usable = {1};
  problem.trainers[1].usable = {0};
  auto const plan = written(problem, heeding(problem));
  CHECK(plan.at("a") == "n3");
  CHECK(plan.at("b") == "n[1-2]");
}

}  // namespace
}  // namespace gleaner::alloc
