// SPDX-License-Identifier: Apache-2.0
/// Which members are stuck: each row is one situation.
#include "runtime/generation/stuck.hh"

#include "test/unit/catch.hh"

namespace gleaner::generation {

namespace {

/// A member that has done 100 steps.
Sighting at(msg::MemberId member, char const* where, double for_s,
            double busy_left_s = 0, std::uint64_t steps = 100) {
  msg::Alive alive;
  alive.at = where;
  alive.for_s = for_s;
  alive.step = 101;
  alive.steps = steps;
  alive.busy_left_s = busy_left_s;
  return {member, alive};
}

}  // namespace

TEST_CASE("a member is stuck when all others wait for it for too long") {
  using Ids = std::vector<msg::MemberId>;
  struct Case {
    char const* rule;
    std::vector<Sighting> sightings;
    Ids stuck;
  };
  StuckRule const rule{60, 10, 3, 5};
  for (auto const& c : {
           Case{"all others have waited for longer than the limit",
                {at(1, "reduction", 61), at(2, "reduction", 70),
                 at(3, "program", 62)},
                {3}},
           Case{"one other suffices",
                {at(1, "reduction", 61), at(3, "program", 62)},
                {3}},
           Case{"not before the limit",
                {at(1, "reduction", 59), at(3, "program", 62)},
                {}},
           Case{"not while it is new where it is",
                {at(1, "reduction", 61), at(3, "program", 58)},
                {}},
           Case{"not while somebody has just begun to wait",
                {at(1, "reduction", 61), at(2, "reduction", 3),
                 at(3, "program", 62)},
                {}},
           Case{"several are",
                {at(1, "reduction", 61), at(2, "program", 90),
                 at(3, "program", 62)},
                {2, 3}},
           Case{"not while another one rightly computes",
                {at(1, "reduction", 61), at(2, "program", 20),
                 at(3, "program", 62)},
                {}},
           Case{"not while it is busy",
                {at(1, "reduction", 61), at(3, "program", 62, 1)},
                {}},
           Case{"not while another one is busy",
                {at(1, "reduction", 61), at(2, "program", 90, 1),
                 at(3, "program", 62)},
                {}},
           Case{"its first steps may take longer",
                {at(1, "reduction", 290), at(3, "program", 290, 0, 2)},
                {}},
           Case{"but not for ever",
                {at(1, "reduction", 310), at(3, "program", 310, 0, 2)},
                {3}},
           Case{"who waits for the coordinator is no witness",
                {at(1, "library", 100), at(3, "program", 62)},
                {}},
           Case{"and is not stuck",
                {at(1, "reduction", 61), at(2, "library", 100)},
                {}},
           Case{"nobody is when all compute",
                {at(1, "program", 900), at(2, "program", 900)},
                {}},
           Case{"nobody is when all wait",
                {at(1, "reduction", 900), at(2, "reduction", 900)},
                {}},
           Case{"one that is alone is not", {at(1, "program", 900)}, {}},
       }) {
    INFO(c.rule);
    CHECK(stuck_members(c.sightings, rule, 1) == c.stuck);
  }
}

TEST_CASE("where steps are long, so is the patience") {
  StuckRule const rule{60, 10, 3, 5};
  std::vector<Sighting> const waiting = {at(1, "reduction", 80),
                                         at(2, "program", 85)};
  CHECK(stuck_members(waiting, rule, 5).size() == 1);
  CHECK(stuck_members(waiting, rule, 8.5).empty());
}

TEST_CASE("the usual duration of a step is the median of the last ones") {
  StepMedian median;
  CHECK(median.seconds() == 0);
  for (double const duration_s : {1., 100., 2., 3., 2.}) median.add(duration_s);
  CHECK(median.seconds() == 2);
  for (int i = 0; i < 40; ++i) median.add(7);
  CHECK(median.seconds() == 7);
}

TEST_CASE("the plane is stuck when all wait in it for too long") {
  StuckRule const rule{60, 10, 3, 5};
  auto const is_stuck = [&](std::vector<Sighting> const& sightings) {
    return generation::is_plane_stuck(sightings, rule, 1);
  };
  CHECK(is_stuck({at(1, "reduction", 61), at(2, "reduction", 300)}));
  CHECK_FALSE(is_stuck({at(1, "reduction", 61), at(2, "reduction", 59)}));
  CHECK_FALSE(is_stuck({at(1, "reduction", 61), at(2, "program", 300)}));
  CHECK_FALSE(is_stuck({at(1, "reduction", 61), at(2, "library", 300)}));
  CHECK_FALSE(is_stuck({at(1, "reduction", 300)}));  // of one member
  CHECK_FALSE(is_stuck({}));
  // The first sums may connect, allocate and tune.
  auto const first = [](double for_s) {
    return at(2, "reduction", for_s, 0, 2);
  };
  CHECK_FALSE(is_stuck({at(1, "reduction", 400), first(299)}));
  CHECK(is_stuck({at(1, "reduction", 400), first(301)}));
  CHECK_FALSE(generation::is_plane_stuck(
      {at(1, "reduction", 61), at(2, "reduction", 61)}, rule, 7));
}

}  // namespace gleaner::generation
