// SPDX-License-Identifier: Apache-2.0
/// Which nodes are kept, given up and handed out.
#include "alloc/placement.hh"

#include "test/unit/alloc/cases.hh"

namespace gleaner::alloc {
namespace {

/// "n2": the nodes trainer a has after the exact policy saw this.
std::string nodes_of_a(std::vector<Node> nodes, Trainer a,
                       double hole_s_min = 0) {
  Problem problem{std::move(nodes), {std::move(a)}, 120, hole_s_min};
  return written(problem, solve("exact", problem))["a"];
}

TEST_CASE("a trainer that grows gets the longest hole") {
  CHECK(nodes_of_a({{"n1", 60, 1, 0}, {"n2", 600, 1, 0}}, trainer("a", 1, 1)) ==
        "n2");
}

TEST_CASE("a hole without a planned end counts as the longest") {
  CHECK(nodes_of_a({{"n1", 600, 1, 0}, {"n2", {}, 1, 0}}, trainer("a", 1, 1)) ==
        "n2");
}

TEST_CASE("among equal holes the node Slurm would take last is lent first") {
  CHECK(nodes_of_a({{"n1", {}, 1, 0}, {"n2", {}, 100, 0}},
                   trainer("a", 1, 1)) == "n2");
}

TEST_CASE("a node that Slurm wants soon is not lent") {
  CHECK(nodes_of_a({{"n1", 4, 1, 0}, {"n2", 6, 1, 0}}, trainer("a", 1, 2), 5) ==
        "n2");
}

TEST_CASE("a node that Slurm wants soon stays with its trainer until then") {
  CHECK(nodes_of_a({{"n1", 4, 1, 0}, {"n2", 6, 1, 0}}, trainer("a", 1, 2, "n1"),
                   5) == "n[1-2]");
}

TEST_CASE("a trainer that does not resize swaps no node for a better one") {
  CHECK(nodes_of_a({{"n1", 6, 1, 0}, {"n2", {}, 9, 0}},
                   trainer("a", 1, 1, "n1"), 5) == "n1");
}

TEST_CASE("a trainer that shrinks gives up the shortest hole") {
  Problem problem{{{"n1", 60, 1, 0}, {"n2", 600, 1, 0}, {"n3", {}, 1, 0}},
                  {trainer("a", 1, 4, "n[1-3]")}};
  CHECK(place(problem, holdings(problem), {2})[0] == indices("n[2-3]"));
}

TEST_CASE("what one trainer gives up another can have") {
  Problem problem{nodes(3), {trainer("a", 1, 4, "n[1-3]"), trainer("b", 1, 4)}};
  auto plan = place(problem, holdings(problem), {2, 1});
  CHECK(plan[0] == indices("n[1-2]"));
  CHECK(plan[1] == indices("n3"));
}

TEST_CASE("among equal nodes a trainer that shrinks gives up the last added") {
  Problem problem{nodes(3), {trainer("a", 1, 4)}};
  problem.trainers[0].nodes = {2, 0, 1};
  CHECK(place(problem, holdings(problem), {2})[0] ==
        std::vector<NodeIndex>{2, 0});
}

TEST_CASE("a plan lists what is kept in its old order, then what is new") {
  Problem problem{nodes(5), {trainer("a", 1, 5)}};
  problem.trainers[0].nodes = {4, 2};
  problem.nodes[2].hole_s = 1000;
  problem.nodes[0].hole_s = 1000;
  CHECK(place(problem, holdings(problem), {5})[0] ==
        std::vector<NodeIndex>{4, 2, 1, 3, 0});
}

TEST_CASE("an unknown policy is refused, and the known ones are named") {
  auto const allocator = make_allocator("magic");
  REQUIRE(!allocator);
  CHECK(allocator.error().message ==
        "unknown policy 'magic' (there are gleaner, exact, freetrain, "
        "equal_share, milp)");
}

}  // namespace
}  // namespace gleaner::alloc
