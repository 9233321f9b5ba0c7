// SPDX-License-Identifier: Apache-2.0
/// What does a member do whose memory holds only a part of its share?  Each
/// test is one rule; actions are written as in notation.hh.
#include "session_under_test.hh"
#include "test/unit/catch.hh"

namespace gleaner::generation {
using namespace test;

namespace {

/// The actions, or "refused".
std::string again(Member& member, std::uint64_t micro_batch_max) {
  auto const actions = member.session.want_again(micro_batch_max);
  return actions ? text(*actions) : "refused";
}

}  // namespace

TEST_CASE("parts: a share is handed out in parts, and reduced after the last") {
  Member one(1, 40, {}, 2);
  one.start({1});
  CHECK(one.step() == "begin(1: 0-2)");
  CHECK(one.reduce() == "more(1: 2-4) reduce(1 in 1)");
  CHECK(one.reduce() == "");
  CHECK(one.first_bucket(1, 1, 4) == "");
  CHECK(one.all_buckets(1) == "apply(1 x1)");
  CHECK(one.step() == "begin(2: 4-6)");
}

TEST_CASE("parts: one that has no memory is computed again in smaller ones") {
  Member one(1);
  one.start({1});
  CHECK(one.step() == "begin(1: 0-4) reduce(1 in 1)");
  CHECK(again(one, 2) == "begin(1: 0-2)");
  CHECK(one.reduce() == "more(1: 2-4) reduce(1 in 1)");
  one.reduce();
  one.first_bucket(1);
  CHECK(one.all_buckets(1) == "apply(1 x1)");
  // The limit is kept.
  CHECK(one.step() == "begin(2: 4-6)");
}

TEST_CASE(
    "parts: what was computed of the step before goes with the failed one") {
  Member one(1, 40, {}, 2);
  one.start({1});
  one.step();
  one.reduce();
  CHECK(again(one, 1) == "begin(1: 0-1)");
  CHECK(one.reduce() == "more(1: 1-2)");
  CHECK(one.reduce() == "more(1: 2-3)");
  CHECK(one.reduce() == "more(1: 3-4) reduce(1 in 1)");
}

TEST_CASE("parts: what is on its way is given up, by all, and computed again") {
  Member one(1);
  one.start({1});
  one.step();
  REQUIRE(one.session.first_bucket_words(1, 1));
  CHECK(again(one, 2) == "->PrepareFailed(1)");
  // It is complete everywhere all the same: what it says holds.
  CHECK(one.first_bucket_complete(1, 1) == "");
  CHECK(one.on(msg::Quiesce{2}) == "stop");
  CHECK(text(one.session.plane_stopped()) ==
        "->Status(2 full h=0 begun=1) begin(1: 0-2)");
  CHECK(one.resume(2, {1}, 0, {}, msg::StepPlan{1, {1}, {}}) == "connect(2)");
  CHECK(one.connected(2) == "->Prepared(2)");
  CHECK(one.reduce() == "more(1: 2-4) reduce(1 in 2)");
  one.reduce();
  one.first_bucket(1);
  CHECK(one.all_buckets(1) == "apply(1 x1)");
}

TEST_CASE("parts: a step that is reduced is not computed again") {
  Member one(1);
  one.start({1});
  one.step();
  one.first_bucket(1);
  CHECK(one.all_buckets(1) == "");
  CHECK(again(one, 2) == "refused");
  CHECK(one.reduce() == "apply(1 x1)");
}

TEST_CASE("parts: a reduction that was ordered before does not begin") {
  Member one(1);
  one.start({1});
  CHECK(one.step() == "begin(1: 0-4) reduce(1 in 1)");
  again(one, 2);
  CHECK_FALSE(one.session.first_bucket_words(1, 1));
}

TEST_CASE("parts: a loss between two of them changes neither") {
  Member one(1, 40, {OnLoss::recompute, 0}, 1);
  one.start({1, 2});
  CHECK(one.step() == "begin(1: 0-1)");
  one.quiesce(2);
  CHECK(one.resume(2, {1}, 0, {}, msg::StepPlan{1, {1, 2}, {{2}}}) ==
        "connect(2)");
  one.connected(2);
  CHECK(one.reduce() == "more(1: 1-2)");
  CHECK(one.reduce() == "more(1: 2-3)");
  CHECK(one.reduce() == "more(1: 3-4) reduce(1 in 2)");
}

TEST_CASE("parts: after a loss all of the step can be computed again") {
  Member one(1);
  one.start({1, 2});
  CHECK(one.step() == "begin(1: 0-2) reduce(1 in 1)");
  one.session.log("loss", 1, 2);
  REQUIRE(one.session.first_bucket_words(1, 1));
  one.quiesce(2);
  CHECK(again(one, 1) == "begin(1: 0-1)");
  CHECK(one.resume(2, {1}, 0, {}, msg::StepPlan{1, {1, 2}, {{2}}}) ==
        "connect(2)");
  one.connected(2);
  CHECK(one.reduce() == "more(1: 1-2) reduce(1 in 2)");
  one.reduce();
  CHECK(one.first_bucket(1, 1, 2) == "");
  CHECK(one.all_buckets(1) == "apply(1 x2)");
  one.step();
  one.reduce();
  one.reduce();
  one.reduce();
  one.reduce();
  CHECK(one.first_bucket(2) == "->Stable(1)");  // and no value of the first try
}

TEST_CASE("parts: a joiner that is reset has nothing to compute again") {
  Two members;
  (void)members.two.session.want_step();
  members.two.quiesce(2);
  members.two.on(msg::Reset{2});
  members.two.prepare(3, {1, 2}, {2});
  members.two.connected(3);
  CHECK(again(members.two, 1) == "fetch(3 from 1)");
  (void)members.two.session.state_requested(3);
  auto const begun = members.two.session.state_received(3, members.one.header);
  REQUIRE(begun);
  CHECK(text(*begun) == "begin(1: 2-3)");
}

TEST_CASE("parts: they are foreseen, of this step and of others") {
  Member one(1, 12, {}, 3);
  one.start({1});
  one.step();
  auto const foreseen = [&](std::uint32_t ahead) {
    auto const part = one.session.foresee(ahead);
    return part ? part->positions : generation::Positions{};
  };
  CHECK(foreseen(1) == generation::Positions{{2, 4}});
  CHECK(foreseen(2) == generation::Positions{{4, 6}});
  CHECK(foreseen(5) == generation::Positions{{10, 12}});
  CHECK_FALSE(one.session.foresee(6));
  again(one, 1);
  CHECK(foreseen(1) == generation::Positions{{1, 2}});
  CHECK(foreseen(4) == generation::Positions{{4, 5}});
}

}  // namespace gleaner::generation
