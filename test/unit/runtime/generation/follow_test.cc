// SPDX-License-Identifier: Apache-2.0
/// How joiners follow: what the coordinator orders, and what members do.  Each
/// test is one rule; orders and actions are written as in notation.hh.
#include "session_under_test.hh"
#include "test/unit/catch.hh"
#include "trainer_notation.hh"

namespace gleaner::generation {

namespace {

using namespace notation;
using test::at;
using test::Two;
using Follow = membership::Options::Follow;

membership::Options following(Follow follow = Follow::on) {
  auto options = notation::options();
  options.follow = follow;
  return options;
}

/// One member trains, a second is loaded; the orders that this gives.
std::string with_joiner(Trainer& trainer, msg::Loaded const& joiner = loaded(),
                        msg::Loaded const& member = loaded()) {
  trainer.announce("n1", {1});
  trainer.says(1, member);
  trainer.says(1, msg::Prepared{1});
  trainer.stable(1, 1, 1);
  trainer.announce("n2", {2});
  return trainer.says(2, joiner);
}

bool follows(Trainer const& trainer) {
  for (auto const& order : trainer.last)
    if (auto const* send = std::get_if<membership::Send>(&order))
      if (auto const* prepare = std::get_if<msg::Prepare>(&*send->message))
        return prepare->follow;
  FAIL("nothing is prepared");
  return false;
}

/// The joiner is let in; the event that says so.
nlohmann::json let_in(Trainer& trainer) {
  trainer.all_switch(2, 5, {1});
  for (msg::Step step = 2; step <= 4; ++step) trainer.stable(1, 1, step);
  trainer.stable(1, 2, 5);
  return records(trainer.last, "generation").at(0);
}

/// Before the boundary that both begin to feed member 3 at.
struct Fed : Two {
  Fed() {
    both_do(1);
    for (auto* member : {&one, &two}) {
      prepared += member->on(msg::Prepare{2, at({1, 2, 3}), {3}, true}) + ' ';
      member->connected(2);
      member->on(msg::Offer{2, {1, 2, 3}, {3}, "", 0, true});
    }
    both_do(2, 0);
  }
  void offer_switch() {
    for (auto* member : {&one, &two}) member->offer(2, {1, 2, 3}, {3});
  }
  std::string prepared;
};

}  // namespace

// --- the coordinator -------------------------------------------------------

TEST_CASE("joiners that follow are offered twice: to be fed, then to switch") {
  Trainer trainer(following());
  with_joiner(trainer);
  CHECK(follows(trainer));
  CHECK(trainer.all_prepared(2, {1, 2}) == "1<-Offer(2: 1,2 fed)");
  CHECK(trainer.after(1) == "");  // not before they have caught up
  CHECK(trainer.says(2, msg::CaughtUp{2, 3}) == "1<-Offer(2: 1,2)");
  auto const event = let_in(trainer);
  CHECK(event.at("joiners") == "followed");
  CHECK_FALSE(event.contains("copied_why"));
}

TEST_CASE("all joiners must have caught up") {
  Trainer trainer(following());
  trainer.train(1);
  trainer.announce("n2", {2, 3});
  trainer.load(2);
  trainer.load(3);
  trainer.all_prepared(2, {1, 2, 3});
  CHECK(trainer.says(3, msg::CaughtUp{2, 3}) == "");
  CHECK(trainer.says(3, msg::CaughtUp{2, 4}) == "");
  CHECK(trainer.says(2, msg::CaughtUp{2, 4}) == "1<-Offer(2: 1,2,3)");
}

TEST_CASE(
    "the state is copied where following could be wrong, and it says why") {
  auto joiner = loaded(), member = loaded();
  auto follow = Follow::on;
  std::string why;
  SECTION("it is switched off") {
    follow = Follow::off;
    why = "GLEANER_FOLLOW is off";
  }
  SECTION("the program cannot") {
    joiner.must_copy = member.must_copy = "deterministic mode";
    why = "deterministic mode";
  }
  SECTION("the joiner computes otherwise") {
    joiner.fingerprint = "avx2";
    member.fingerprint = "avx512f";
    why = "member 2 computes with 'avx2', member 1 with 'avx512f'";
  }
  SECTION("it is not worth it") {
    follow = Follow::automatic;
    why = "no step was measured yet";
  }
  Trainer trainer(following(follow));
  with_joiner(trainer, joiner, member);
  CHECK_FALSE(follows(trainer));
  CHECK(trainer.all_prepared(2, {1, 2}) == "1<-Offer(2: 1,2)");
  auto const event = let_in(trainer);
  CHECK(event.at("joiners") == "copied");
  CHECK(event.at("copied_why") == why);
}

TEST_CASE("a prediction is made of what was measured") {
  auto big = loaded();
  big.state_bytes = 400'000'000;  // .4 s at the speed assumed at first
  Trainer trainer(following(Follow::automatic));
  trainer.announce("n1", {1});
  trainer.says(1, big);
  trainer.says(1, msg::Prepared{1});
  for (msg::Step step = 1; step <= 20; ++step) {
    msg::Stable report;
    report.generation = report.reduced_in = 1;
    report.step = step;
    report.duration_s = .1;
    report.update_s = GENERATE(.01, .06);
    report.samples_seen = 4 * step;
    trainer.says(1, report);
    if (step < 20) continue;
    trainer.announce("n2", {2});
    trainer.says(2, big);
    CHECK(follows(trainer) == (report.update_s < .05));
  }
}

TEST_CASE("the speed of the last copies counts") {
  auto big = loaded();
  big.state_bytes = 400'000'000;
  Trainer trainer(following(Follow::automatic));
  trainer.announce("n1", {1});
  trainer.says(1, big);
  trainer.says(1, msg::Prepared{1});
  msg::Stable report;
  report.generation = report.reduced_in = 1;
  report.step = 1;
  report.duration_s = .1;
  trainer.says(1, report);
  trainer.says(1, msg::StateReceived{1, 0, 400'000'000, .02});
  trainer.announce("n2", {2});
  trainer.says(2, big);
  CHECK_FALSE(follows(trainer));
}

TEST_CASE("a joiner that dies while it follows is left out, without a repair") {
  Trainer trainer(following());
  with_joiner(trainer);
  trainer.all_prepared(2, {1, 2});
  CHECK(trainer.gone(2) == "1<-Withdraw(2)");
  CHECK(trainer.says(1, msg::Withdrawn{2}) == "");
}

TEST_CASE("a joiner that cannot follow is tried again, then copied to") {
  Trainer trainer(following());
  with_joiner(trainer);
  for (msg::Generation generation = 2; generation <= 3; ++generation) {
    trainer.all_prepared(generation, {1, 2});
    auto const withdraw = "1<-Withdraw(" + std::to_string(generation) + ")";
    CHECK(trainer.says(2, msg::PrepareFailed{generation, "too slow"}) ==
          withdraw);
    // What is being withdrawn fails, too, and that does not count.
    trainer.says(2, msg::PrepareFailed{generation, "no donor"});
    trainer.says(1, msg::Withdrawn{generation});
    CHECK(follows(trainer) == (generation == 2));
  }
  CHECK(trainer.all_prepared(4, {1, 2}) == "1<-Offer(4: 1,2)");
}

TEST_CASE("a joiner that never catches up is tried again, then copied to") {
  Trainer trainer(following());
  with_joiner(trainer);
  for (msg::Generation generation = 2; generation <= 3; ++generation) {
    trainer.all_prepared(generation, {1, 2});
    CHECK(trainer.after(119) == "");
    CHECK(trainer.after(2) ==
          "1<-Withdraw(" + std::to_string(generation) + ")");
    trainer.says(1, msg::Withdrawn{generation});
    CHECK(follows(trainer) == (generation == 2));
  }
}

TEST_CASE("a loss while joiners follow does not wait for them") {
  Trainer trainer(following());
  trainer.train(2);
  trainer.announce("n3", {3});
  trainer.load(3);
  trainer.all_prepared(2, {1, 2, 3});
  CHECK(trainer.gone(2) == "3<-Reset(2) 1<-Quiesce(3)");
}

TEST_CASE("following gives way to a node that must be left soon") {
  Trainer trainer(following());
  trainer.train(2);
  trainer.announce("n3", {3});
  trainer.load(3);
  trainer.all_prepared(2, {1, 2, 3});
  CHECK(trainer.leave("n2", 5) == "1<-Withdraw(2) 2<-Withdraw(2)");
  trainer.says(1, msg::Withdrawn{2});
  CHECK(trainer.says(2, msg::Withdrawn{2}) == "3<-Reset(2) 1<-Prepare(3: 1)");
}

// --- members ---------------------------------------------------------------

TEST_CASE("members get ready to feed when the generation is prepared") {
  CHECK(Fed().prepared ==
        "connect(2) prepare_feed(2: 0/2 to 3) connect(2) "
        "prepare_feed(2: 1/2 to 3) ");
}

TEST_CASE("all begin to feed at one boundary, and train on as they are") {
  Fed fed;
  CHECK(fed.one.step() == "feed(2: 2) begin(3: 8-10) reduce(3 in 1)");
  CHECK(fed.two.step() == "feed(2: 2) begin(3: 10-12) reduce(3 in 1)");
}

TEST_CASE("at the switch the feed ends, and nobody waits for the joiner") {
  Fed fed;
  fed.both_do(3);
  fed.offer_switch();
  fed.both_do(4, 0);
  CHECK(fed.one.step() ==
        "->Switched(2 at 5) end_feed(2 at 4) begin(5: 16-17) reduce(5 in 2)");
}

TEST_CASE("a joiner that follows says once that it has caught up") {
  test::Member joiner(3);
  (void)joiner.session.want_start();
  joiner.on(msg::Prepare{2, at({1, 2, 3}), {3}, true});
  CHECK(joiner.connected(2) == "follow(2 from 1,2)");
  (void)joiner.session.state_requested(2);
  CHECK(text(joiner.session.caught_up(1, 5)) == "");
  CHECK(text(joiner.session.caught_up(2, 5)) == "->CaughtUp(2 at 5)");
  CHECK(text(joiner.session.caught_up(2, 6)) == "");
}

TEST_CASE("a joiner whose state will be copied has nothing to catch up") {
  test::Member joiner(3);
  (void)joiner.session.want_start();
  joiner.prepare(2, {1, 2, 3}, {3});
  joiner.connected(2);
  CHECK(text(joiner.session.caught_up(2, 5)) == "");
}

TEST_CASE("to feed binds nobody: a change can be withdrawn until the switch") {
  Fed fed;
  SECTION("before the boundary") {
    CHECK(fed.one.on(msg::Withdraw{2}) == "drop(2) ->Withdrawn(2)");
    CHECK(fed.one.step() == "begin(3: 8-10) reduce(3 in 1)");
  }
  SECTION("while joiners are fed") {
    fed.both_do(3);
    CHECK(fed.one.on(msg::Withdraw{2}) == "drop(2) ->Withdrawn(2)");
  }
  SECTION("but not after it") {
    fed.both_do(3);
    fed.offer_switch();
    fed.both_do(4, 0);
    CHECK(fed.one.on(msg::Withdraw{2}) == "->Agreed(2 in 4)");
  }
}

TEST_CASE("a loss ends the feed") {
  Fed fed;
  fed.both_do(3);
  CHECK(fed.one.quiesce(3) == "->Status(3 full h=3)");
  fed.one.resume(3, {1}, 3);
  fed.one.connected(3);
  CHECK(fed.one.step() == "begin(4: 12-16) reduce(4 in 3)");
}

}  // namespace gleaner::generation
