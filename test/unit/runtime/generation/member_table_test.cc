// SPDX-License-Identifier: Apache-2.0
/// Which members and nodes are there, and which nodes are to be left.
#include "runtime/generation/member_table.hh"

#include <limits>

#include "test/unit/catch.hh"

namespace gleaner::generation {

namespace {

/// Members 1 and 2 on n1, 3 on n2, since 100 s.
MemberTable three_members() {
  MemberTable table;
  table.add(100, "n1", {1, 2});
  table.add(100, "n2", {3});
  return table;
}

using Names = std::vector<std::string>;
constexpr double never = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("members are counted by where they are in their life") {
  auto table = three_members();
  CHECK(table.in(Phase::announced) == 3);
  table.set_phase(2, Phase::loaded, 105);
  CHECK(table.in(Phase::announced) == 2);
  CHECK(table.in(Phase::loaded) == 1);
  CHECK(table.at(2).since_s == 105);
  table.erase(2);
  CHECK(table.in(Phase::loaded) == 0);
  CHECK_FALSE(table.has(2));
}

TEST_CASE("the members of a node that is left do not stay") {
  auto table = three_members();
  table.leave("n1", never, "reclaim");
  CHECK(table.staying({3, 2, 1}) == MemberIds{3});
  CHECK(table.live({3, 2, 1}) == MemberIds{3, 2, 1});
  CHECK(table.node_of(1).cause == "reclaim");
  table.erase(3);
  CHECK(table.live({3, 2, 1}) == MemberIds{2, 1});
  CHECK(table.nodes_of({3, 2, 1}).to_string() == "n1");
}

TEST_CASE("a deadline may come forward, and is never put off") {
  auto table = three_members();
  table.leave("n1", 160, "plan");
  CHECK_FALSE(table.leaves_within(1, 20, 130));
  table.leave("n1", 140, "reclaim");
  CHECK(table.leaves_within(1, 20, 130));
  table.leave("n1", 200, "drain");
  CHECK(table.leaves_within(1, 20, 130));
  CHECK(table.node_of(1).cause == "reclaim");
  CHECK_FALSE(table.leaves_within(3, 20, 130));
  CHECK(table.nodes_leaving() == 1);
}

TEST_CASE("a node is free when it is left and its last member is gone") {
  auto table = three_members();
  CHECK(table.take_free_nodes() == Names{});
  table.leave("n1", never, "reclaim");
  table.erase(1);
  table.erase(3);  // n2 stays, and may get another member
  CHECK(table.take_free_nodes() == Names{});
  table.erase(2);
  CHECK(table.take_free_nodes() == Names{"n1"});
  CHECK(table.take_free_nodes() == Names{});
}

TEST_CASE("a node that ended and comes back is to stay") {
  auto table = three_members();
  table.leave("n2", never, "reclaim");
  table.erase(3);
  table.forget("n2");
  CHECK(table.nodes_leaving() == 0);
  table.add(110, "n2", {4});
  CHECK(table.staying({4}) == MemberIds{4});
}

TEST_CASE("a node may be asked back before it has members") {
  auto table = three_members();
  table.leave("n3", 140, "reclaim");
  table.add(110, "n3", {4});
  CHECK(table.is_leaving(4));
}

}  // namespace gleaner::generation
