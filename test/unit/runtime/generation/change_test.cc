// SPDX-License-Identifier: Apache-2.0
/// How a planned change gets from its preparation to its end, and when it is
/// given up.
#include "runtime/generation/change.hh"

#include <limits>

#include "test/unit/catch.hh"

namespace gleaner::generation {

namespace {

/// Generation 2 of these members, planned at 100 s.
Change change_to(MemberIds members, MemberIds joiners) {
  generation::ChangePlan plan;
  plan.generation = 2;
  plan.kind = "expand";
  plan.members = std::move(members);
  plan.joiners = std::move(joiners);
  return {plan, 100};
}

/// Members 1, 2, 3 on n1, n2, n3.
MemberTable three_nodes() {
  MemberTable table;
  for (msg::MemberId const id : {1, 2, 3})
    table.add(90, "n" + std::to_string(id), {id});
  return table;
}

constexpr double urgent_s = 20;

}  // namespace

TEST_CASE("a change is prepared when the last member is") {
  auto change = change_to({1, 2, 3}, {3});
  CHECK_FALSE(change.prepared(1, 101));
  CHECK_FALSE(change.prepared(1, 102));
  CHECK_FALSE(change.prepared(3, 103));
  CHECK(change.not_prepared({2, 3}) == MemberIds{2});
  CHECK(change.prepared(2, 104));
  CHECK(change.prepare_s() == 4);
}

TEST_CASE("joiners have caught up when the last has") {
  auto change = change_to({1, 2, 3}, {2, 3});
  CHECK_FALSE(change.caught_up(2, 101));  // nobody feeds it yet
  change.follow(105);
  CHECK(change.is_before_offer());
  CHECK_FALSE(change.caught_up(2, 106));
  CHECK_FALSE(change.caught_up(1, 106));  // a member that feeds
  CHECK_FALSE(change.has_followed_for(120, 200));
  CHECK(change.has_followed_for(120, 226));
  CHECK(change.caught_up(3, 107));
}

TEST_CASE("a change is withdrawn when all members say so") {
  auto change = change_to({1, 2, 3}, {3});
  change.offer();
  CHECK_FALSE(change.withdrawn(1, {1, 2}));  // it was not asked
  change.withdraw();
  CHECK_FALSE(change.withdrawn(1, {1, 2}));
  CHECK(change.withdrawn(2, {1, 2}));
}

TEST_CASE("what a member has agreed to is not withdrawn any more") {
  auto change = change_to({1, 2, 3}, {3});
  change.offer();
  change.withdraw();
  CHECK_FALSE(change.withdrawn(1, {1, 2}));
  change.agree();  // the word of member 2 was on its way
  CHECK_FALSE(change.withdrawn(2, {1, 2}));
  CHECK(change.is_agreed());
}

TEST_CASE("a change is closed when all are full and no report is owed") {
  auto change = change_to({1, 2}, {});
  change.offer();
  change.all_full();  // of something else: nobody has agreed
  CHECK_FALSE(change.may_close(100));
  change.switched(1, 8);
  CHECK(change.has_switched(1));
  CHECK_FALSE(change.has_switched(2));
  CHECK_FALSE(change.may_close(7));
  change.all_full();
  CHECK_FALSE(change.may_close(6));  // rank 0 owes step 7
  CHECK(change.may_close(7));
}

TEST_CASE("who has switched is not forgotten when another one agrees") {
  auto change = change_to({1, 2}, {});
  change.offer();
  change.switched(1, 8);
  change.agree();
  CHECK(change.has_switched(1));
  CHECK(change.first() == 8);
}

TEST_CASE("a change is given up when one of its members must leave") {
  auto table = three_nodes();
  auto const gives_up = [&](Change const& change, MemberIds const& in_use) {
    return must_give_up(change, in_use, table, urgent_s, 100);
  };
  SECTION("not while all stay") {
    CHECK_FALSE(gives_up(change_to({1, 2, 3}, {3}), {1, 2}));
  }
  SECTION("a joiner that is to leave is not brought in") {
    table.leave("n3", 1000, "plan");
    CHECK(gives_up(change_to({1, 2, 3}, {3}), {1, 2}));
  }
  SECTION("a member waits for an expand while there is time") {
    table.leave("n2", 1000, "plan");
    CHECK_FALSE(gives_up(change_to({1, 2, 3}, {3}), {1, 2}));
  }
  SECTION("but not when it has to leave soon") {
    table.leave("n2", 119, "reclaim");
    CHECK(gives_up(change_to({1, 2, 3}, {3}), {1, 2}));
  }
  SECTION("a shrink is prepared again without it") {
    table.leave("n2", 1000, "plan");
    auto shrink = change_to({1, 2}, {});
    CHECK(gives_up(shrink, {1, 2, 3}));
    shrink.offer();  // once offered, another shrink follows
    CHECK_FALSE(gives_up(shrink, {1, 2, 3}));
  }
  SECTION("or when a joiner died") {
    auto change = change_to({1, 2, 3}, {3});
    change.give_up();
    CHECK(gives_up(change, {1, 2}));
  }
}

TEST_CASE("the switch leads by as many steps as are loaded ahead, in time") {
  constexpr auto never = std::numeric_limits<double>::infinity();
  struct Case {
    char const* rule;
    generation::LeadFacts facts;
    std::uint32_t steps;
  };
  for (auto const& c : {
           Case{"nothing is loaded ahead", {0, 0.1, 2, never}, 0},
           Case{"as many as are loaded ahead", {4, 0.1, 2, never}, 4},
           Case{"no more than lead_s", {40, 0.1, 2, never}, 20},
           Case{"but one, however long steps are", {4, 10, 2, never}, 1},
           Case{"one before a step was measured", {4, 0, 2, never}, 1},
           Case{"half of what is left, and a step less", {40, 0.5, 20, 10}, 9},
           Case{"none when a member has to leave at once", {4, 0.5, 2, 0.2}, 0},
           Case{"none when its time is up", {4, 0.5, 2, -3}, 0},
       }) {
    INFO(c.rule);
    CHECK(lead_steps(c.facts) == c.steps);
  }
}

}  // namespace gleaner::generation
