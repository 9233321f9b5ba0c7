// SPDX-License-Identifier: Apache-2.0
/// What does a member do next, when members are lost?  Each test is one rule of
/// the protocol; actions are written as in notation.hh.
#include "session_under_test.hh"
#include "test/unit/catch.hh"

namespace gleaner::generation {
using namespace test;

TEST_CASE("status is given when nothing writes any more") {
  Two members;
  members.both_do(1);
  (void)members.one.session.want_step();
  CHECK(members.one.on(msg::Quiesce{2}) == "stop");
  CHECK(text(members.one.session.plane_stopped()) ==
        "->Status(2 full h=1 begun=2)");
}

TEST_CASE("of two losses the later one is answered") {
  Two members;
  CHECK(members.one.on(msg::Quiesce{2}) == "stop");
  CHECK(members.one.on(msg::Quiesce{3}) == "");
  CHECK(text(members.one.session.plane_stopped()) == "->Status(3 full h=0)");
  CHECK(members.one.on(msg::Quiesce{4}) == "->Status(4 full h=0)");
  CHECK(members.one.resume(3, {1}, 0) == "");
}

TEST_CASE("a begun step keeps its gradients and its shares") {
  Two members;
  (void)members.one.session.want_step();
  members.one.reduce();
  members.one.quiesce(2);
  CHECK(members.one.resume(2, {1}, 0, {}, msg::StepPlan{1, {1, 2}, {{2}}}) ==
        "connect(2)");
  CHECK(members.one.connected(2) == "->Prepared(2) reduce(1 in 2)");
  CHECK(members.one.first_bucket(1, 1, 2) == "");
  // Half of the samples: the sum counts twice.
  CHECK(members.one.all_buckets(1) == "apply(1 x2)");
  // Those of the dead come next.
  CHECK(members.one.step() == "begin(2: 2-6) reduce(2 in 2)");
}

TEST_CASE("a member without the last reduction takes it over whole") {
  Two members;
  (void)members.two.session.want_step();
  members.two.reduce();
  members.two.first_bucket(1);
  CHECK(members.two.quiesce(2) == "->Status(2 full h=0 begun=1)");
  CHECK(members.two.resume(2, {1, 2}, 1, {2}) ==
        "connect(2) take_over(1 from 1)");
  CHECK(text(members.two.session.reduction_fetched(2)) == "apply(1 x1)");
}

TEST_CASE("another loss during a takeover leaves it where it was") {
  Two members;
  (void)members.two.session.want_step();
  members.two.first_bucket(1);
  members.two.quiesce(2);
  members.two.resume(2, {1, 2}, 1, {2});
  CHECK(members.two.quiesce(3) == "->Status(3 full h=0 begun=1)");
  CHECK(text(members.two.session.reduction_fetched(2)) == "");
}

TEST_CASE("what completes before the stop is answered counts") {
  Two members;
  (void)members.one.session.want_step();
  members.one.first_bucket(1);
  members.one.on(msg::Quiesce{2});
  members.one.all_buckets(1);
  CHECK(text(members.one.session.plane_stopped()) == "->Status(2 full h=1)");
}

TEST_CASE("a step whose samples all went with the dead is planned again") {
  // 4 samples for 5 members: the first has none.
  Member one(1);
  one.start({1, 2, 3, 4, 5});
  CHECK(one.step() == "begin(1: ) reduce(1 in 1)");
  one.quiesce(2);
  one.resume(2, {1}, 0, {}, msg::StepPlan{1, {1, 2, 3, 4, 5}, {{2, 3, 4, 5}}});
  one.connected(2);
  CHECK(one.reduce() == "begin(1: 0-4) reduce(1 in 2)");
}

TEST_CASE("recompute: a survivor adds its part of the dead share, then sums") {
  Member one(1, 40, {OnLoss::recompute, 0});
  one.start({1, 2});
  CHECK(one.step() == "begin(1: 0-2) reduce(1 in 1)");
  one.reduce();
  one.quiesce(2);
  CHECK(one.resume(2, {1}, 0, {}, msg::StepPlan{1, {1, 2}, {{2}}}) ==
        "connect(2) more(1: 2-4)");
  CHECK(one.connected(2) == "->Prepared(2) reduce(1 in 2)");
  CHECK(one.reduce() == "");
  CHECK(one.first_bucket(1, 1, 4) == "");
  CHECK(one.all_buckets(1) == "apply(1 x1)");
  CHECK(one.step() == "begin(2: 4-8) reduce(2 in 2)");
}

TEST_CASE(
    "recompute: nothing is summed before the program has added its part") {
  Member one(1, 40, {OnLoss::recompute, 0});
  one.start({1, 2});
  one.step();
  one.quiesce(2);  // the program computes
  CHECK(one.resume(2, {1}, 0, {}, msg::StepPlan{1, {1, 2}, {{2}}}) ==
        "connect(2)");
  CHECK(one.connected(2) == "->Prepared(2)");
  CHECK(one.reduce() == "more(1: 2-4) reduce(1 in 2)");
}

TEST_CASE("recompute: another loss adds to what is computed again") {
  // Of 4 samples each member has one; 3 and 4 are lost one after the other.
  Member one(1, 40, {OnLoss::recompute, 0});
  one.start({1, 2, 3, 4});
  one.step();
  one.reduce();
  one.quiesce(2);
  // One sample for three: the first of them gets none.
  CHECK(one.resume(2, {1, 2, 3}, 0, {},
                   msg::StepPlan{1, {1, 2, 3, 4}, {{4}}}) == "connect(2)");
  one.quiesce(3);
  CHECK(one.resume(3, {1, 2}, 0, {},
                   msg::StepPlan{1, {1, 2, 3, 4}, {{4}, {3}}}) ==
        "connect(3) more(1: 2-3)");
}

TEST_CASE("deterministic: a member computes its shards one by one") {
  Member one(1, 40, {OnLoss::recompute, 4});
  one.start({1, 2});
  CHECK(one.step() == "begin(1: 0-1)");
  CHECK(one.reduce() == "more(1: 1-2) reduce(1 in 1)");
  one.reduce();
  one.quiesce(2);
  CHECK(one.resume(2, {1}, 0, {}, msg::StepPlan{1, {1, 2}, {{2}}}) ==
        "connect(2) more(1: 2-3)");
  one.connected(2);
  CHECK(one.reduce() == "more(1: 3-4) reduce(1 in 2)");
}

TEST_CASE("a member foresees its shares, whether of this step or of others") {
  Member one(1, 12, {OnLoss::recompute, 4});
  one.start({1, 2});
  CHECK_FALSE(one.session.foresee(1));
  one.step();
  auto const foreseen = [&](std::uint32_t ahead) {
    auto const share = one.session.foresee(ahead);
    return share ? share->positions : generation::Positions{};
  };
  CHECK(foreseen(1) == generation::Positions{{1, 2}});
  CHECK(foreseen(2) == generation::Positions{{4, 5}});
  CHECK(foreseen(5) == generation::Positions{{9, 10}});
  CHECK_FALSE(one.session.foresee(6));
}

TEST_CASE("a step that a survivor has begun is begun as it was planned") {
  Two members;
  members.both_do(1);
  members.two.quiesce(2);
  members.two.resume(2, {2}, 1, {}, msg::StepPlan{2, {1, 2}, {{1}}});
  members.two.connected(2);
  CHECK(members.two.step() == "begin(2: 6-8) reduce(2 in 2)");
}

TEST_CASE("a joiner that is reset computes again with the state it gets") {
  Two members;
  (void)members.two.session.want_step();
  members.two.quiesce(2);
  CHECK(members.two.on(msg::Reset{2}) == "");
  members.two.prepare(3, {1, 2}, {2});
  // Its program still computes with the old state: not yet prepared.
  CHECK(members.two.connected(3) == "");
  CHECK(members.two.reduce() == "fetch(3 from 1)");
  CHECK(text(members.two.session.state_requested(3)) == "->Prepared(3)");
  auto const begun = members.two.session.state_received(3, members.one.header);
  REQUIRE(begun);
  CHECK(text(*begun) == "begin(1: 2-4) reduce(1 in 3)");
}

TEST_CASE("a value of a step that was taken away is not shown") {
  Two members;
  (void)members.two.session.want_step();
  members.two.quiesce(2);
  members.two.on(msg::Reset{2});
  members.two.session.log("loss", 1, 2);
  members.two.prepare(3, {1, 2}, {2});
  members.two.connected(3);
  members.two.reduce();
  (void)members.two.session.state_requested(3);
  REQUIRE(members.two.session.state_received(3, members.one.header));
  members.two.first_bucket(1);
  members.two.all_buckets(1);
  members.two.reduce();
  members.two.step();
  CHECK(members.two.first_bucket(2) == "");
}

TEST_CASE("a new rank 0 reports what the coordinator may have missed") {
  Two members;
  for (msg::Step step = 1; step <= 3; ++step) members.both_do(step);
  members.two.quiesce(2);
  CHECK(members.two.resume(2, {2}, 3, {}, {}, 1) == "connect(2) ->Stable(2)");
  members.two.connected(2);
  members.two.step();
  CHECK(members.two.first_bucket(4) == "->Stable(3)");
}

TEST_CASE("steps that the coordinator has recorded are forgotten") {
  Two members;
  for (msg::Step step = 1; step <= 3; ++step) members.both_do(step);
  members.two.on(msg::Recorded{2});
  members.two.quiesce(2);
  CHECK(members.two.resume(2, {2}, 3) == "connect(2)");
}

TEST_CASE("a plane that breaks is reported once") {
  Two members;
  CHECK(text(members.one.session.failed(1, "reset by peer")) ==
        "->PrepareFailed(1)");
  CHECK(text(members.one.session.failed(1, "reset by peer")) == "");
  CHECK(text(members.one.session.failed(7, "who?")) == "");
}

}  // namespace gleaner::generation
