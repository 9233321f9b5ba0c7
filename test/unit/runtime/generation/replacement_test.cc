// SPDX-License-Identifier: Apache-2.0
/// When a member is replaced.  See also stuck_test.cc and plane_watch_test.cc.
#include "runtime/generation/replacement.hh"

#include <limits>

#include "test/unit/catch.hh"

namespace gleaner::generation {

namespace {

/// Members 1 and 2 on n1 and n2, started at 100 s.
MemberTable two_members() {
  MemberTable table;
  table.add(100, "n1", {1});
  table.add(100, "n2", {2});
  return table;
}

/// "1: why, 2: why"
std::string text(std::vector<Replaced> const& replaced) {
  std::string text;
  for (auto const& [member, why] : replaced)
    text += (text.empty() ? "" : ", ") + std::to_string(member) + ": " + why;
  return text;
}

msg::Alive at(std::string const& where, double for_s) {
  msg::Alive alive;
  alive.at = where;
  alive.for_s = for_s;
  alive.step = 8;
  alive.steps = 100;
  return alive;
}

constexpr double exit_timeout_s = 5;
constexpr double load_timeout_s = 600;

}  // namespace

TEST_CASE("a member that is on its node at the deadline is killed") {
  auto table = two_members();
  table.leave("n1", 150, "reclaim");
  CHECK(text(past_deadline(table, exit_timeout_s, 149.9)).empty());
  CHECK(text(past_deadline(table, exit_timeout_s, 150)) ==
        "1: its node had to be left: reclaim");
}

TEST_CASE("a node without a deadline is left when its members have switched") {
  auto table = two_members();
  table.leave("n1", std::numeric_limits<double>::infinity(), "plan");
  CHECK(text(past_deadline(table, exit_timeout_s, 1e9)).empty());
}

TEST_CASE("a member that does not end after its release is killed") {
  auto table = two_members();
  table.set_phase(2, Phase::released, 110);
  CHECK(text(past_deadline(table, exit_timeout_s, 115)).empty());
  CHECK(text(past_deadline(table, exit_timeout_s, 115.1)) ==
        "2: it did not end after its release");
}

TEST_CASE("a member that is not ready in time is replaced") {
  auto table = two_members();
  table.set_phase(2, Phase::connected, 300);
  CHECK(text(late_to_load(table, load_timeout_s, 700)).empty());
  CHECK(text(late_to_load(table, load_timeout_s, 701)) ==
        "1: it did not call gleaner_open() in time");
  table.set_phase(1, Phase::loaded, 702);
  CHECK(text(late_to_load(table, load_timeout_s, 901)) ==
        "2: it did not call gleaner_start() in time");
  table.set_phase(2, Phase::active, 902);
  CHECK(text(late_to_load(table, load_timeout_s, 1e9)).empty());
}

TEST_CASE("a member that said that it loads for longer is waited for") {
  auto table = two_members();
  table.erase(2);
  table.at(1).alive = at("program", 650);
  table.at(1).alive->busy_left_s = 100;
  CHECK(text(late_to_load(table, load_timeout_s, 800)).empty());
  table.at(1).alive->busy_left_s = 0;
  CHECK(text(late_to_load(table, load_timeout_s, 800)) ==
        "1: it did not call gleaner_open() in time");
}

TEST_CASE("a member because of which three generations failed is replaced") {
  MemberEntry member;
  CHECK_FALSE(failed_too_often(member));
  CHECK_FALSE(failed_too_often(member));
  CHECK(failed_too_often(member));
}

TEST_CASE("the member that all others wait for is replaced") {
  auto table = two_members();
  StuckRule const rule{60, 10, 3, 5};
  CHECK_FALSE(sightings_of({1, 2}, table, 1));  // nothing is known of them yet
  table.at(1).alive = at("reduction", 70);
  CHECK_FALSE(sightings_of({1, 2}, table, 1));
  table.at(2).alive = at("program", 75);
  auto const stuck = [&] {
    return text(stuck_in(*sightings_of({1, 2}, table, 1), table, rule, 0.1));
  };
  auto const why =
      "2: it is stuck: all others wait for it in step 8, and for 75 s its "
      "program has not called gleaner_reduce()";
  CHECK(stuck() == why);
  SECTION("and what it was busy with is said") {
    table.at(2).alive->busy = "evaluating";
    CHECK(stuck() == why + std::string(" (it was busy with 'evaluating' until "
                                       "its time was up)"));
  }
  SECTION("also by those that have finished, and wait for its last step") {
    table.at(1).alive = at("library", 70);
    CHECK(stuck().empty());
    table.at(1).finished = msg::Finished{1, 8};
    CHECK(stuck() == why);
  }
  SECTION("not by those that finished in another generation") {
    table.at(1).alive = at("library", 70);
    table.at(1).finished = msg::Finished{9, 8};
    CHECK(stuck().empty());
  }
}

TEST_CASE("a member that does not become quiet after a loss is replaced") {
  auto table = two_members();
  Recovery recovery(5, {1, 2}, 200);
  recovery.answered(1, {5, true, 8, std::nullopt});
  CHECK(text(not_quiet(recovery, table, 10, 210)).empty());
  CHECK(text(not_quiet(recovery, table, 10, 210.1)) ==
        "2: it did not become quiet");
  table.erase(2);  // it died
  CHECK(text(not_quiet(recovery, table, 10, 211)).empty());
}

}  // namespace gleaner::generation
