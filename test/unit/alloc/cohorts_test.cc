// SPDX-License-Identifier: Apache-2.0
/// Which nodes policy gleaner picks.  Each test is one rule.
#include "alloc/cohorts.hh"

#include "test/unit/alloc/cases.hh"

namespace gleaner::alloc {
namespace {

using Picked = std::map<TrainerId, std::string>;

/// Ages of n1, n2, …; nodes of one age became idle together.
std::vector<Node> aged(std::vector<double> const& ages_s) {
  auto result = nodes(static_cast<int>(ages_s.size()));
  for (std::size_t n = 0; n < ages_s.size(); ++n) result[n].idle_s = ages_s[n];
  return result;
}

Picked pick(std::vector<Node> nodes, std::vector<Trainer> trainers,
            std::vector<int> const& counts, Swaps swaps = Swaps::yes) {
  Problem const problem{std::move(nodes), std::move(trainers), 120, 0};
  return written(problem,
                 place_cohorts(problem, holdings(problem), counts, swaps));
}

TEST_CASE("the biggest trainer gets the nodes that were idle longest") {
  CHECK(pick(aged({10, 90, 10, 90, 90}),
             {trainer("a", 1, 4), trainer("b", 1, 4)},
             {2, 3}) == Picked{{"a", "n[1,3]"}, {"b", "n[2,4-5]"}});
}

TEST_CASE("a known end counts more than age") {
  auto nodes = aged({90, 10});
  nodes[0].hole_s = 500;
  CHECK(pick(nodes, {trainer("a", 1, 1)}, {1}) == Picked{{"a", "n2"}});
}

TEST_CASE("who does not grow keeps its nodes, however stable they are") {
  CHECK(pick(aged({900, 10, 10}),
             {trainer("a", 1, 1, "n1"), trainer("b", 1, 2, "n2")},
             {1, 2}) == Picked{{"a", "n1"}, {"b", "n[2-3]"}});
}

TEST_CASE("trainers that grow swap what they hold for whole cohorts") {
  // b grows to three nodes: it gets the three that became idle together.
  CHECK(pick(aged({50, 50, 50, 7, 7}),
             {trainer("a", 1, 2, "n1"), trainer("b", 1, 3, "n[2,4]")},
             {2, 3}) == Picked{{"a", "n[4-5]"}, {"b", "n[1-3]"}});
}

TEST_CASE("without swaps they keep what they hold") {
  CHECK(pick(aged({50, 50, 50, 7, 7}),
             {trainer("a", 1, 2, "n1"), trainer("b", 1, 3, "n[2,4]")}, {2, 3},
             Swaps::no) == Picked{{"a", "n[1,5]"}, {"b", "n[2-4]"}});
}

TEST_CASE("of a cohort that is not taken whole a trainer keeps its own nodes") {
  CHECK(pick(aged({5, 5, 5, 5}), {trainer("a", 1, 2, "n3")}, {2}) ==
        Picked{{"a", "n[1,3]"}});
}

}  // namespace
}  // namespace gleaner::alloc
