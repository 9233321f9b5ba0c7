// SPDX-License-Identifier: Apache-2.0
/// Plans where speeds are not known for certain.
#include "alloc/cautious.hh"

#include <set>

#include "alloc/worth.hh"
#include "test/unit/alloc/cases.hh"
#include "test/unit/alloc/random_problems.hh"

namespace gleaner::alloc {
namespace {

using Counts = std::vector<int>;

Counts counts(Plan const& plan) {
  Counts result;
  for (auto const& got : plan) result.push_back(static_cast<int>(got.size()));
  return result;
}

/// As trainer(), with speeds that may be by `part` smaller or larger beyond
/// `tried` nodes.
Trainer unsure(Trainer t, int tried, double part) {
  t.nodes_tried = tried;
  for (std::size_t k = 0; k < t.speed.size(); ++k) {
    bool const known = static_cast<int>(k) <= tried;
    t.speed_low.push_back(t.speed[k] * (known ? 1 : 1 - part));
    t.speed_high.push_back(t.speed[k] * (known ? 1 : 1 + part));
  }
  return t;
}

/// Speed grows up to `peak` nodes, and is the same beyond.
Trainer flat_from(int peak, Trainer t) {
  for (std::size_t k = static_cast<std::size_t>(peak); k < t.speed.size(); ++k)
    t.speed[k] = t.speed[static_cast<std::size_t>(peak)] * 0.99;
  return t;
}

TEST_CASE("where all is known gleaner plans as ever") {
  RandomProblems problems("cautious_test");
  INFO("GLEANER_SEED=" << problems.seed());
  AllocatorOptions options;
  auto const policy = make_allocator(options);
  REQUIRE(policy);
  for (int i = 0; i < 300; ++i) {
    auto const problem = problems.next(24, 6);
    auto sure = problem;
    for (auto& t : sure.trainers) {
      t.speed_low = t.speed_high = t.speed;
      t.nodes_tried = t.nodes_max;
    }
    INFO("case " << i);
    CHECK(predicted_gain(sure, solve("gleaner", sure)) ==
          Approx(predicted_gain(problem, solve("gleaner", problem))));
  }
}

TEST_CASE("nobody loses a node for a hope") {
  // b might be faster on the third node than a is, and might not.
  Problem const problem{nodes(4),
                        {trainer("a", 1, 4, "n[1-2]"),
                         unsure(trainer("b", 1, 4, "n[3-4]"), 2, 0.5)}};
  CHECK(counts(solve("gleaner", problem)) == Counts{2, 2});
}

TEST_CASE("nobody leaves all its nodes for what another one tries") {
  // Where speeds jump, starts are charged once and not again.
  RandomProblems problems("cautious_test");
  INFO("GLEANER_SEED=" << problems.seed());
  for (int i = 0; i < 1000; ++i) {
    auto problem = problems.next(24, 6);
    for (auto& t : problem.trainers) t = unsure(t, 1 + i % 3, 0.4);
    auto sober = problem;
    for (auto& t : sober.trainers) {
      auto const now = t.nodes.size();
      for (std::size_t k = now + 1; k < t.speed.size(); ++k)
        t.speed[k] = std::min(t.speed[k], t.speed_low[k]);
      if (static_cast<int>(now) > t.nodes_tried)
        for (std::size_t k = 1; k <= std::min(now, t.speed.size() - 1); ++k)
          t.speed[k] = std::max(t.speed[k], t.speed[k - 1]);
      t.speed_low.clear();
      t.speed_high.clear();
    }
    INFO("case " << i);
    auto const without = solve("gleaner", sober);
    auto const with = solve("gleaner", problem);
    for (std::size_t j = 0; j < with.size(); ++j)
      CHECK(with[j].size() >= without[j].size());
  }
}

TEST_CASE("idle nodes are used to try a size") {
  auto t = unsure(flat_from(2, trainer("a", 1, 8, "n[1-2]")), 2, 0.5);
  // Known, it would not grow.
  CHECK(counts(solve("gleaner",
                     {nodes(8), {flat_from(2, trainer("a", 1, 8, "n[1-2]"))}}))
            .front() == 2);
  // At most twice what was measured.
  CHECK(counts(solve("gleaner", {nodes(8), {t}})) == Counts{4});
  // Not where nobody hopes for more.
  t.speed_high = t.speed;
  CHECK(counts(solve("gleaner", {nodes(8), {t}})) == Counts{2});
}

TEST_CASE("who tries a size stays there until it is measured") {
  auto t = unsure(flat_from(2, trainer("a", 1, 8, "n[1-4]")), 2, 0.5);
  CHECK(counts(solve("gleaner", {nodes(4), {t}})) == Counts{4});
  t.nodes_tried = 4;  // it was, and two are as good
  t.speed_high = t.speed_low = t.speed;
  CHECK(counts(solve("gleaner", {nodes(4), {t}})) == Counts{2});
}

TEST_CASE("who tries a size makes room for who needs the nodes") {
  Problem const problem{
      nodes(4),
      {unsure(flat_from(2, trainer("a", 1, 8, "n[1-4]")), 2, 0.5),
       trainer("b", 1, 2)}};
  CHECK(counts(solve("gleaner", problem)) == Counts{2, 2});
}

TEST_CASE("a trainer of which nothing is known starts") {
  Problem const problem{nodes(4), {unsure(trainer("a", 1, 4), 0, 0.3)}};
  CHECK(counts(solve("gleaner", problem)).front() >= 1);
}

TEST_CASE("plans under uncertainty keep to the rules of all plans") {
  RandomProblems problems("cautious_test");
  INFO("GLEANER_SEED=" << problems.seed());
  auto const cases = from_environment("GLEANER_CASES", 2000);
  for (unsigned i = 0; i < cases; ++i) {
    auto problem = problems.next(24, 6);
    for (auto& t : problem.trainers)
      t = unsure(t, static_cast<int>(i) % (t.nodes_max + 1), 0.4);
    INFO("case " << i);
    auto const plan = solve("gleaner", problem);
    CHECK(solve("gleaner", problem) == plan);
    std::set<NodeIndex> taken;
    for (std::size_t j = 0; j < plan.size(); ++j) {
      auto const& t = problem.trainers[j];
      auto const count = static_cast<int>(plan[j].size());
      CHECK((count == 0 || (count >= t.nodes_min && count <= t.nodes_max)));
      for (auto const node : plan[j]) CHECK(taken.insert(node).second);
      // What it keeps comes first, and it swaps nothing.
      auto const kept = std::min(plan[j].size(), t.nodes.size());
      for (std::size_t k = 0; k < kept; ++k)
        CHECK(std::count(t.nodes.begin(), t.nodes.end(), plan[j][k]) == 1);
    }
  }
}

}  // namespace
}  // namespace gleaner::alloc
