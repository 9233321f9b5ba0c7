// SPDX-License-Identifier: Apache-2.0
/// What does a member do next, while nobody is lost?  Each test is one rule of
/// the protocol; actions are written as in notation.hh.
#include "session_under_test.hh"
#include "test/unit/catch.hh"

namespace gleaner::generation {
using namespace test;

// --- coming in -------------------------------------------------------------

TEST_CASE("a joiner asks all members that stay for a stripe of the state") {
  Member joiner(3);
  CHECK(text(joiner.session.want_start()) == "");
  CHECK(joiner.prepare(2, {1, 2, 3}, {3}) == "connect(2)");
  CHECK(joiner.connected(2) == "fetch(2 from 1,2)");
}

TEST_CASE("a joiner is prepared when its requests for state are on their way") {
  Member joiner(3);
  (void)joiner.session.want_start();
  joiner.prepare(2, {1, 2, 3}, {3});
  CHECK(text(joiner.session.state_requested(2)) == "");  // not asked to
  joiner.connected(2);
  CHECK(text(joiner.session.state_requested(1)) == "");
  CHECK(text(joiner.session.state_requested(2)) == "->Prepared(2)");
  CHECK(text(joiner.session.state_requested(2)) == "");
}

TEST_CASE("the source of a start serves its state before it begins") {
  Member source(1);
  (void)source.session.want_start();
  source.prepare(1, {1, 2}, {2});
  CHECK(source.connected(1) == "->Prepared(1)");
  CHECK(source.on(msg::Start{1, at({1, 2}), 1, ""}) == "serve(1: 0/1 to 2)");
  CHECK(text(source.session.state_served(1)) == "started");
  CHECK(source.step() == "begin(1: 0-2) reduce(1 in 1)");
}

TEST_CASE("a source may begin from a checkpoint") {
  Member writer(1);
  writer.start({1});
  writer.do_step(1);
  writer.on(msg::TakeCheckpoint{"c"});
  auto const header = header_in(writer.session.want_step());

  Member source(5);
  (void)source.session.want_start();
  source.prepare(1, {5}, {});
  source.connected(1);
  CHECK(source.on(msg::Start{1, at({5}), 5, "c"}) == "load(c)");
  auto const loaded = source.session.checkpoint_loaded(1, header);
  REQUIRE(loaded);
  CHECK(text(*loaded) == "started");
  CHECK(source.step() == "begin(2: 4-8) reduce(2 in 1)");
}

TEST_CASE("a member with received state is no source before a first bucket") {
  Two members;
  CHECK_FALSE(members.two.session.full());
  (void)members.two.session.want_step();
  members.two.first_bucket(1);
  CHECK(members.two.session.full());
}

TEST_CASE("a header of other data is refused") {
  Member joiner(2, 10), source(1, 40);
  source.start({1, 2});
  for (int step = 1; step <= 5; ++step) source.do_step(step);
  source.on(msg::TakeCheckpoint{"c"});
  auto const header = header_in(source.session.want_step());
  (void)joiner.session.want_start();
  joiner.prepare(1, {1, 2}, {2});
  joiner.connected(1);
  (void)joiner.session.state_requested(1);
  CHECK_FALSE(joiner.session.state_received(1, header));
  CHECK_FALSE(joiner.session.state_received(1, "{}"));
  CHECK_FALSE(joiner.session.state_received(1, "not json"));
}

// --- steps -----------------------------------------------------------------

TEST_CASE("members share a step and apply its reduction") {
  Two members;
  CHECK(members.one.step() == "begin(1: 0-2) reduce(1 in 1)");
  CHECK(members.two.step() == "begin(1: 2-4) reduce(1 in 1)");
  CHECK(members.one.reduce() == "");
  CHECK(members.one.first_bucket(1) == "");
  CHECK(members.one.all_buckets(1) == "apply(1 x1)");
}

TEST_CASE("a step is stable when the next one's first bucket is complete") {
  Two members;
  members.both_do(1);
  CHECK(members.one.session.complete() == 1);
  CHECK(members.one.session.stable() == 0);
  members.one.step();
  members.two.step();
  CHECK(members.one.first_bucket(2) == "->Stable(1)");
  CHECK(members.two.first_bucket(2) == "");  // rank 0 reports for all
  CHECK(members.two.session.stable() == 1);
}

TEST_CASE("a reduction of other samples than planned is refused") {
  Two members;
  (void)members.one.session.want_step();
  REQUIRE(members.one.session.first_bucket_words(1, 1));
  CHECK_FALSE(members.one.session.first_bucket_done(1, 1, 1, 3));
}

TEST_CASE("a value is shown when its step is stable") {
  Two members;
  members.both_do(1);
  members.two.session.log("loss", 2.5, 2);
  (void)members.two.session.want_step();
  CHECK(members.two.first_bucket(2) == "->LogValues(loss@1)");
}

// --- planned changes -------------------------------------------------------

TEST_CASE("all ready in one first bucket: switch before the next step") {
  Two members;
  members.both_do(1);
  for (auto* member : {&members.one, &members.two}) {
    CHECK(member->prepare(2, {1, 2, 3}, {3}) == "connect(2)");
    CHECK(member->connected(2) == "->Prepared(2)");
    CHECK(member->offer(2, {1, 2, 3}, {3}) == "");
  }
  (void)members.two.session.want_step();
  CHECK(members.two.session.first_bucket_words(1, 2)->not_ready == 0);
  members.two.first_bucket_complete(2, 0);
  members.two.reduce();
  CHECK(members.two.all_buckets(2) == "apply(2 x1)");
  CHECK(members.two.step() == "->Switched(2 at 3) serve(2: 1/2 to 3)");
  CHECK(text(members.two.session.state_served(2)) ==
        "begin(3: 9-10) reduce(3 in 2)");
  // The old plane may hold what others have not got yet, until this:
  CHECK(members.two.first_bucket(3) == "drop(1)");
}

TEST_CASE("an offer with a lead is switched to so many steps later") {
  Two members;
  for (auto* member : {&members.one, &members.two}) {
    member->prepare(2, {1, 2, 3}, {3});
    member->connected(2);
    member->offer(2, {1, 2, 3}, {3}, 2);
  }
  (void)members.one.session.want_step();
  REQUIRE(members.one.session.first_bucket_words(1, 1));
  CHECK(members.one.first_bucket_complete(1, 0) == "->SwitchAhead(2 at 4)");
  members.one.reduce();
  CHECK(members.one.all_buckets(1) == "apply(1 x1)");
  members.one.do_step(2, 0);
  members.one.do_step(3, 0);
  CHECK(members.one.step() == "->Switched(2 at 4) serve(2: 0/2 to 3)");
  members.two.do_step(1, 0);  // it is not rank 0
  CHECK(members.two.on(msg::Withdraw{2}) == "->Agreed(2 in 1)");
}

TEST_CASE("between agreement and switch a member foresees what is after it") {
  Two members;
  auto const positions = [](Member& member, std::uint32_t ahead) {
    auto const share = member.session.foresee(ahead);
    return share ? share->positions : generation::Positions{};
  };
  members.one.prepare(2, {1}, {});
  members.one.connected(2);
  for (auto* member : {&members.one, &members.two}) {
    member->offer(2, {1}, {}, 1);
    (void)member->session.want_step();
    CHECK(positions(*member, 3).front().last -
              positions(*member, 3).front().first ==
          2);
    member->first_bucket(1, 0);
  }
  CHECK(positions(members.one, 1) == generation::Positions{{4, 6}});
  CHECK(positions(members.one, 2) == generation::Positions{{8, 12}});
  CHECK(positions(members.two, 1) == generation::Positions{{6, 8}});
  CHECK_FALSE(members.two.session.foresee(2));  // it leaves
  // A loss undoes the agreement.
  members.one.quiesce(3);
  CHECK(positions(members.one, 2) == generation::Positions{{8, 10}});
}

TEST_CASE("a joiner foresees its first shares while it waits for its state") {
  Member joiner(3);
  (void)joiner.session.want_start();
  joiner.prepare(2, {1, 2, 3}, {3});
  joiner.connected(2);
  CHECK_FALSE(joiner.session.foresee(1));
  auto const before =
      R"({"back":[],"dropped":0,"next":12,"pass":0,"samples_seen":12})";
  CHECK(joiner.on(msg::SwitchAhead{1, 4, before}) == "");
  CHECK(joiner.on(msg::SwitchAhead{2, 4, "of another training"}) == "");
  CHECK(joiner.on(msg::SwitchAhead{2, 4, before}) == "soon");
  CHECK(joiner.session.foresee(1)->positions ==
        generation::Positions{{14, 16}});
  CHECK(joiner.session.foresee(2)->positions ==
        generation::Positions{{18, 20}});
  CHECK_FALSE(joiner.session.foresee(8));
  joiner.on(msg::Reset{2});
  CHECK_FALSE(joiner.session.foresee(1));
}

TEST_CASE("one member that is not ready keeps the generation") {
  Two members;
  members.one.prepare(2, {1}, {});
  members.one.connected(2);
  members.one.offer(2, {1});
  members.one.do_step(1, 1);
  CHECK(members.one.step() == "begin(2: 4-6) reduce(2 in 1)");
}

TEST_CASE("a leaver keeps its state until it is released") {
  Two members;
  members.two.offer(2, {1});
  members.two.do_step(1, 0);
  CHECK(members.two.step() == "->Switched(2 at 2)");
  CHECK(members.two.session.full());
  CHECK(members.two.on(msg::Release{}) == "leave");
}

TEST_CASE("an offer is withdrawn at once while no word was given for it") {
  Two members;
  members.one.prepare(2, {1}, {});
  members.one.connected(2);
  members.one.offer(2, {1});
  CHECK(members.one.on(msg::Withdraw{2}) == "drop(2) ->Withdrawn(2)");
}

TEST_CASE("once the word is given, the first bucket decides") {
  Two members;
  members.one.prepare(2, {1}, {});
  members.one.connected(2);
  members.one.offer(2, {1});
  (void)members.one.session.want_step();
  REQUIRE(members.one.session.first_bucket_words(1, 1)->not_ready == 0);
  CHECK(members.one.on(msg::Withdraw{2}) == "");
  SECTION("agreed") {
    CHECK(members.one.first_bucket_complete(1, 0) == "->Agreed(2 in 1)");
  }
  SECTION("not agreed") {
    CHECK(members.one.first_bucket_complete(1, 1) == "drop(2) ->Withdrawn(2)");
  }
}

TEST_CASE("a newer generation replaces the one being prepared") {
  Two members;
  members.one.prepare(2, {1, 2, 3}, {3});
  CHECK(members.one.prepare(3, {1}, {}) == "drop(2) connect(3)");
  CHECK(members.one.connected(2) == "");
  CHECK(members.one.prepare(2, {1, 2, 3}, {3}) == "");
}

}  // namespace gleaner::generation
