// SPDX-License-Identifier: Apache-2.0
/// What becomes of a data plane that does not connect, or breaks.
#include "runtime/generation/plane_watch.hh"

#include "test/unit/catch.hh"

namespace gleaner::generation {

namespace {

MemberIds const members{1, 2, 3};

/// Planes connect within 10 s after a loss and within 30 s before a planned
/// change; a dead member is noticed within 10 s.
PlaneWatch watch() { return PlaneWatch({10, 30, 10}); }

/// "-": all is well; "again": all connect again; "without 3".
std::string found(PlaneWatch& planes, double now) {
  auto const fault = planes.take_fault(now, members);
  if (!fault) return "-";
  return fault->victim ? "without " + std::to_string(*fault->victim) : "again";
}

}  // namespace

TEST_CASE("planes must connect in time after a loss") {
  auto planes = watch();
  planes.begins_connecting(100);
  CHECK_FALSE(planes.connected(1, members));
  CHECK_FALSE(planes.connected(3, members));
  CHECK(found(planes, 110) == "-");
  SECTION("and have") {
    CHECK(planes.connected(2, members));
    CHECK_FALSE(planes.connected(2, members));  // said once
    CHECK(found(planes, 111) == "-");
    CHECK(planes.is_in_order(members));
  }
  SECTION("or connect again; the third time, without one that did not") {
    CHECK(found(planes, 111) == "again");
    for (double const begin : {111, 122}) {
      planes.begins_connecting(begin);
      CHECK_FALSE(planes.connected(1, members));
      CHECK_FALSE(planes.connected(3, members));
      CHECK(found(planes, begin + 10) == "-");
      CHECK(found(planes, begin + 11) ==
            (begin == 111 ? "again" : "without 2"));
    }
  }
}

TEST_CASE("a plane that takes long to connect when all is well gets longer") {
  auto planes = watch();
  planes.connected_beside(6);
  planes.begins_connecting(100);
  CHECK(found(planes, 118) == "-");
  CHECK(found(planes, 119) == "again");
}

TEST_CASE("and never longer than for a planned change") {
  auto planes = watch();
  planes.connected_beside(25);
  planes.begins_connecting(100);
  CHECK(found(planes, 130) == "-");
  CHECK(found(planes, 131) == "again");
}

TEST_CASE(
    "a plane that breaks is mended when no loss explains it in a moment") {
  auto planes = watch();
  planes.begins_connected(100, members);
  planes.broke(200, 2, "connection reset");
  CHECK_FALSE(planes.is_in_order(members));
  CHECK(found(planes, 200.5) == "-");
  SECTION("nobody died") {
    CHECK(planes.take_fault(200.6, members)->why == "connection reset");
    CHECK(found(planes, 201) == "-");  // told once
  }
  SECTION("a member died, and the training recovers") {
    planes.forget_break();
    CHECK(found(planes, 201) == "-");
  }
}

TEST_CASE("the training goes on without the member whose plane breaks") {
  auto planes = watch();
  planes.begins_connected(100, members);
  auto const breaks = [&](double at, msg::MemberId by) {
    planes.broke(at, by, "connection reset");
    planes.broke(at, 3, "and so says the next");  // the first one counts
    return found(planes, at + 1);
  };
  CHECK(breaks(200, 2) == "again");
  CHECK(breaks(210, 2) == "again");
  SECTION("the third time") { CHECK(breaks(220, 2) == "without 2"); }
  SECTION("the last in rank when nobody is known") {
    CHECK(breaks(220, 0) == "without 3");
  }
  SECTION("not when a step was stable in between") {
    planes.works();
    CHECK(breaks(220, 2) == "again");
  }
}

}  // namespace gleaner::generation
