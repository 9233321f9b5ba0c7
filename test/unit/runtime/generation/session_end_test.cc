// SPDX-License-Identifier: Apache-2.0
/// What does a member do next, when the training ends or waits?  Each test is
/// one rule of the protocol; actions are written as in notation.hh.
#include "session_under_test.hh"
#include "test/unit/catch.hh"

namespace gleaner::generation {
using namespace test;

TEST_CASE("the last step is tentative until all have arrived") {
  Two members(4);
  members.both_do(1);
  CHECK(members.one.step() == "->Stable(1?) ->Finished(1)");
  CHECK(members.two.step() == "->Finished(1)");
  CHECK(members.one.on(msg::Finish{}) == "done");
}

TEST_CASE("the program's word ends the training after the step") {
  Two members;
  members.both_do(1);
  members.one.session.stop();
  members.two.session.stop();
  CHECK(members.one.step() == "->Stable(1?) ->Finished(1)");
  CHECK(members.two.step() == "->Finished(1)");
  // A loss does not make it go on.
  CHECK(members.two.quiesce(2) == "->Status(2 full h=1)");
  CHECK(members.two.resume(2, {2}, 1) ==
        "connect(2) ->Stable(1?) ->Finished(1)");
  CHECK(members.two.on(msg::Finish{}) == "done");
}

TEST_CASE("a word about a step that was taken away ends nothing") {
  Two members;
  members.both_do(1);
  members.two.quiesce(2);
  members.two.on(msg::Reset{2});
  members.two.session.stop();
  members.two.step();
  members.two.prepare(3, {2}, {});
  members.two.connected(3);
  CHECK(members.two.on(msg::Start{3, at({2}), 2, ""}) ==
        "begin(1: 0-4) reduce(1 in 3)");
}

TEST_CASE("an end that a loss interrupts is reported again") {
  Two members(4);
  members.both_do(1);
  members.two.step();
  CHECK(members.two.quiesce(2) == "->Status(2 full h=1)");
  CHECK(members.two.resume(2, {2}, 1) ==
        "connect(2) ->Stable(1?) ->Finished(1)");
}

TEST_CASE("who waits for state is told of the end, too") {
  Member joiner(3);
  (void)joiner.session.want_start();
  joiner.prepare(2, {1, 3}, {3});
  joiner.connected(2);
  CHECK(joiner.on(msg::Finish{}) == "drop(2) done");
}

TEST_CASE("to park, rank 0 writes the state at the boundary") {
  Two members;
  for (auto* member : {&members.one, &members.two}) {
    member->on(msg::Offer{2, {}, {}, "c", 0});
    member->do_step(1, 0);
  }
  CHECK(members.one.step() == "->Stable(1?) ->Switched(2 at 2) write(c of 1)");
  CHECK(members.two.step() == "->Switched(2 at 2)");
  CHECK(text(members.one.session.checkpoint_written("c", 10)) ==
        "->Checkpointed(c of 1)");
  CHECK(members.one.on(msg::Release{}) == "leave");
}

TEST_CASE("who parks, leaves or finishes tells its values before it says so") {
  SECTION("a park") {
    Two members;
    members.two.on(msg::Offer{2, {}, {}, "c", 0});
    members.one.on(msg::Offer{2, {}, {}, "c", 0});
    members.both_do(1, 0);
    members.two.session.log("loss", 1, 2);
    CHECK(members.two.step() == "->LogValues(loss@1) ->Switched(2 at 2)");
    CHECK(members.two.on(msg::Release{}) == "leave");
  }
  SECTION("the end") {
    Two members(4);
    members.both_do(1);
    members.two.session.log("loss", 1, 2);
    CHECK(members.two.step() == "->LogValues(loss@1) ->Finished(1)");
    CHECK(members.two.on(msg::Finish{}) == "done");
  }
}

TEST_CASE("who is released on its way to a boundary tells all that it has") {
  Two members;
  members.two.on(msg::Offer{2, {}, {}, "c", 0});
  members.one.on(msg::Offer{2, {}, {}, "c", 0});
  members.both_do(1, 0);
  members.two.session.log("loss", 1, 2);
  CHECK(members.two.on(msg::Release{}) == "");
  CHECK(members.two.step() == "->LogValues(loss@1) leave");
}

TEST_CASE("a checkpoint says of which generation and step it is") {
  Two members;
  members.both_do(1);
  members.one.on(msg::TakeCheckpoint{"c"});
  auto const header = header_in(members.one.session.want_step());
  CHECK(header.find("\"generation\":1") != std::string::npos);
  CHECK(header.find("\"step\":1") != std::string::npos);
}

TEST_CASE("a checkpoint is reported when its step is stable") {
  Two members;
  members.both_do(1);
  members.one.on(msg::TakeCheckpoint{"c"});
  CHECK(members.one.step() == "write(c of 1) begin(2: 4-6) reduce(2 in 1)");
  CHECK(text(members.one.session.checkpoint_written("c", 10)) == "");
  CHECK(members.one.first_bucket(2) == "->Stable(1) ->Checkpointed(c of 1)");
}

TEST_CASE("a release ends a call that would wait for ever") {
  Two members;
  (void)members.two.session.want_step();
  CHECK(members.two.reduce() == "");
  CHECK(members.two.on(msg::Release{}) == "leave");
}

TEST_CASE("a release finds a busy program at its next call") {
  Two members;
  (void)members.two.session.want_step();
  CHECK(members.two.on(msg::Release{}) == "");
  CHECK(members.two.reduce() == "leave");
}

}  // namespace gleaner::generation
