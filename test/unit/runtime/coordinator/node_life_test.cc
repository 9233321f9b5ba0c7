// SPDX-License-Identifier: Apache-2.0
/// How a node gets from its grant to the end of its lease.
#include "runtime/coordinator/node_life.hh"

#include "test/unit/catch.hh"

namespace gleaner::coordinator {

TEST_CASE("a node comes up when its agent does") {
  NodeLife life(100);
  CHECK(life.is_asked());
  CHECK(life.came_up(101.5) == 1.5);
  CHECK(life.is_up());
  CHECK_FALSE(life.is_asked());
}

TEST_CASE("an agent that comes in the moment it is asked for came up, too") {
  NodeLife life(100);
  CHECK(life.came_up(100) == 0);
  CHECK_FALSE(life.is_asked());
}

TEST_CASE("an agent must come within 15 s") {
  NodeLife life(100);
  CHECK_FALSE(life.is_late(115));
  CHECK(life.is_late(115.1));
  SECTION("once it has, it is not late") {
    life.came_up(114);
    CHECK_FALSE(life.is_late(200));
  }
  SECTION("one that was given up is not late again") {
    life.end(115.1);
    CHECK_FALSE(life.is_late(200));
    CHECK_FALSE(life.is_asked());  // we ended it: it did not fail to start
  }
}

TEST_CASE("a lease that does not end is ended every 2 s") {
  NodeLife life(100);
  life.came_up(101);
  life.leave();
  CHECK(life.is_leaving());
  CHECK_FALSE(life.is_overdue(500));
  life.end(500);
  CHECK_FALSE(life.is_overdue(502));
  CHECK(life.is_overdue(502.1));
  life.end(502.1);
  CHECK_FALSE(life.is_overdue(504.1));
  CHECK(life.is_overdue(504.2));
}

}  // namespace gleaner::coordinator
