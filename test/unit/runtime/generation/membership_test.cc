// SPDX-License-Identifier: Apache-2.0
/// Who trains together, and how all get there.  Each test is one rule; orders
/// are written as in notation.hh.
#include "runtime/generation/membership.hh"

#include <catch2/catch.hpp>

#include "trainer_notation.hh"

using namespace gleaner::notation;
namespace msg = gleaner::msg;
namespace membership = gleaner::membership;

// --- coming in -------------------------------------------------------------

TEST_CASE("training starts when the fewest nodes it wants are ready") {
  auto two_nodes = options();
  two_nodes.nodes_min = 2;
  Trainer trainer(two_nodes);
  trainer.announce("n1", {1});
  CHECK(trainer.load(1) == "");
  trainer.announce("n2", {2});
  CHECK(trainer.load(2) ==
        "1<-Prepare(1: 1,2 joins 2) 2<-Prepare(1: 1,2 joins 2)");
  trainer.says(1, msg::Prepared{1});
  CHECK(trainer.says(2, msg::Prepared{1}) ==
        "1<-Start(1: source 1) 2<-Start(1: source 1)");
  CHECK(records(trainer.last, "generation").at(0).at("nodes") == "n[1-2]");
}

TEST_CASE("contact data goes to all when all have given it, in rank order") {
  Trainer trainer;
  trainer.announce("n1", {1, 2});
  trainer.load(1);
  trainer.load(2);
  CHECK(trainer.says(2, msg::PlaneBlob{1, "k", "b"}) == "");
  CHECK(trainer.says(1, msg::PlaneBlob{1, "k", "a"}) ==
        "1<-PlaneBlobs(1: a,b) 2<-PlaneBlobs(1: a,b)");
}

TEST_CASE("a node comes in with all its members") {
  Trainer trainer;
  trainer.train(1);
  trainer.announce("n2", {2, 3});
  CHECK(trainer.load(2) == "");
  CHECK(trainer.after(1) == "");
  CHECK(trainer.load(3) ==
        "1<-Prepare(2: 1,2,3 joins 2,3) 2<-Prepare(2: 1,2,3 joins 2,3) "
        "3<-Prepare(2: 1,2,3 joins 2,3)");
}

TEST_CASE("a ready node waits a moment for others that are loading") {
  Trainer trainer;
  trainer.train(1);
  trainer.announce("n2", {2});
  trainer.announce("n3", {3});
  CHECK(trainer.load(2) == "");
  CHECK(trainer.after(.3) ==
        "1<-Prepare(2: 1,2 joins 2) 2<-Prepare(2: 1,2 joins 2)");
}

TEST_CASE("an offer leaves time for what members load ahead") {
  auto const loads = [](std::uint32_t shares) {
    auto message = loaded();
    message.loads_ahead = shares;
    return message;
  };
  struct Case {
    std::uint32_t ahead;
    double step_s;
    std::string lead;
  };
  for (auto const& [ahead, step_s, lead] : {
           Case{0, .1, ""}, Case{4, .1, " in 4"},
           Case{30, .1, " in 20"},  // no longer than 2 s
           Case{4, 5, " in 1"},     // but one step
       }) {
    CAPTURE(ahead, step_s);
    Trainer trainer;
    trainer.announce("n1", {1});
    trainer.says(1, loads(ahead));
    trainer.all_prepared(1, {1});
    trainer.stable(1, 1, 1, false, step_s);
    trainer.announce("n2", {2});
    trainer.says(2, loads(0));
    CHECK(trainer.all_prepared(2, {1, 2}) == "1<-Offer(2: 1,2" + lead + ")");
  }
}

TEST_CASE(
    "the lead of an offer takes no more than half the time to a deadline") {
  struct Case {
    double within_s;
    std::string lead;
  };
  for (auto const& [within_s, lead] :
       {Case{60, " in 4"}, Case{6, " in 2"}, Case{1, ""}}) {
    CAPTURE(within_s);
    auto options = gleaner::notation::options();
    options.lead_s = 100;
    Trainer trainer(options);
    auto message = loaded();
    message.loads_ahead = 4;
    trainer.announce("n1", {1});
    trainer.announce("n2", {2});
    trainer.says(1, message);
    trainer.says(2, message);
    trainer.all_prepared(1, {1, 2});
    trainer.stable(1, 1, 1, false, 1);
    trainer.leave("n2", within_s);
    auto const offer = "Offer(2: 1" + lead + ")";
    CHECK(trainer.says(1, msg::Prepared{2}) == "1<-" + offer + " 2<-" + offer);
  }
}

TEST_CASE("joiners are told where they will begin") {
  Trainer trainer;
  trainer.train(1);
  trainer.announce("n2", {2});
  trainer.load(2);
  trainer.all_prepared(2, {1, 2});
  CHECK(trainer.says(1, msg::SwitchAhead{2, 9, "{}"}) ==
        "2<-SwitchAhead(2 at 9)");
  CHECK(trainer.says(1, msg::SwitchAhead{1, 9, "{}"}) == "");
}

TEST_CASE("nodes that come while an offer is open wait for the next") {
  Trainer trainer;
  trainer.train(1);
  trainer.announce("n2", {2});
  trainer.load(2);
  CHECK(trainer.all_prepared(2, {1, 2}) == "1<-Offer(2: 1,2)");
  trainer.announce("n3", {3});
  trainer.announce("n4", {4});
  CHECK(trainer.load(3) == "");
  CHECK(trainer.load(4) == "");
  trainer.all_switch(2, 3, {1});
  CHECK(trainer.stable(1, 2, 2) ==
        "1<-Prepare(3: 1,2,3,4 joins 3,4) 2<-Prepare(3: 1,2,3,4 joins 3,4) "
        "3<-Prepare(3: 1,2,3,4 joins 3,4) 4<-Prepare(3: 1,2,3,4 joins 3,4)");
}

TEST_CASE("in deterministic mode all members compute with the same") {
  auto options = ::options();
  options.deterministic = GENERATE(true, false);
  Trainer trainer(options);
  trainer.announce("n1", {1});
  trainer.announce("n2", {2});
  auto message = loaded();
  message.member = 1;
  message.fingerprint = "Xeon, threads 1";
  trainer.says(1, message);
  message.member = 2;
  message.fingerprint = "Xeon, threads 4";
  auto const said = trainer.says(2, message);
  if (!options.deterministic) {
    CHECK(said.find("2<-Prepare(") != std::string::npos);
    return;
  }
  CHECK(said.find("2<-Refused") == 0);
  auto const errors = records(trainer.last, "error");
  REQUIRE(errors.size() == 1);
  auto const why = errors[0]["what"].get<std::string>();
  CHECK(why.find("member 2 computes with 'Xeon, threads 4', member 1 with "
                 "'Xeon, threads 1'") == 0);
}

TEST_CASE("a member with other tensors is refused") {
  Trainer trainer;
  trainer.train(1);
  trainer.announce("n2", {2});
  CHECK(trainer.says(2, loaded("other")) == "2<-Refused");
  CHECK(records(trainer.last, "error").size() == 1);
}

TEST_CASE("who was lost, or never expected, is refused") {
  Trainer trainer;
  trainer.train(2);
  trainer.gone(2);
  CHECK(trainer.says(2, msg::MemberHello{2, "n2", 1, "", ""}) == "2<-Refused");
  CHECK(trainer.says(9, msg::MemberHello{9, "n2", 1, "", ""}) == "9<-Refused");
  CHECK(trainer.stable(2, 1, 2) == "");
  CHECK(trainer.membership.summary().step == 1);
}

TEST_CASE("a joiner that cannot be prepared three times is replaced") {
  Trainer trainer;
  trainer.train(1);
  trainer.announce("n2", {2});
  trainer.load(2);
  trainer.says(1, msg::Prepared{2});
  CHECK(trainer.after(31) ==
        "1<-Withdraw(2) 2<-Reset(2) 1<-Prepare(3: 1,2 joins 2) "
        "2<-Prepare(3: 1,2 joins 2)");
  trainer.after(31);
  CHECK(trainer.after(31) == "1<-Withdraw(4) 2<-Reset(4) kill(2)");
}

// --- going -----------------------------------------------------------------

TEST_CASE("a node that is left is free when its member has ended") {
  Trainer trainer;
  trainer.train(2);
  CHECK(trainer.leave("n2", 60) == "1<-Prepare(2: 1)");
  CHECK(trainer.says(1, msg::Prepared{2}) == "1<-Offer(2: 1) 2<-Offer(2: 1)");
  trainer.all_switch(2, 3, {1, 2});
  CHECK(trainer.stable(1, 2, 2) == "2<-Release");
  CHECK(trainer.gone(2) == "free(n2)");
  CHECK(records(trainer.last, "member_lost").empty());
}

TEST_CASE("a program that does not end after its release is killed") {
  Trainer trainer;
  trainer.train(2);
  trainer.leave("n2", never);
  trainer.says(1, msg::Prepared{2});
  trainer.all_switch(2, 3, {1, 2});
  trainer.stable(1, 2, 2);
  CHECK(trainer.after(6) == "kill(2) free(n2)");
}

TEST_CASE("a node whose members only wait is free at once") {
  Trainer trainer;
  trainer.train(1);
  trainer.announce("n2", {2});
  CHECK(trainer.leave("n2", 60) == "2<-Release");
  CHECK(trainer.gone(2) == "free(n2)");
  CHECK(trainer.leave("n3", 60) == "free(n3)");
}

TEST_CASE("a member whose node is left before it connects is no loss") {
  Trainer trainer;
  trainer.train(1);
  (void)trainer.membership.add_members(trainer.now, "n2", {2});
  CHECK(trainer.leave("n2", 60) == "kill(2) free(n2)");
  CHECK(records(trainer.last, "member_lost").empty());
  CHECK(trainer.says(2, msg::MemberHello{2, "n2", 1, "", ""}) == "2<-Refused");
}

TEST_CASE("leaving in no hurry and joining are one change") {
  Trainer trainer;
  trainer.train(2);
  trainer.announce("n3", {3});
  trainer.load(3);
  trainer.all_prepared(2, {1, 2, 3});
  trainer.leave("n2", never);
  trainer.announce("n4", {4});
  trainer.load(4);
  trainer.all_switch(2, 3, {1, 2});
  CHECK(trainer.stable(1, 2, 2) ==
        "1<-Prepare(3: 1,3,4 joins 4) 3<-Prepare(3: 1,3,4 joins 4) "
        "4<-Prepare(3: 1,3,4 joins 4)");
}

TEST_CASE("an expand is withdrawn for a node that must be left soon") {
  Trainer trainer;
  trainer.train(2);
  trainer.announce("n3", {3});
  trainer.load(3);
  SECTION("while it is being prepared") {
    CHECK(trainer.leave("n2", 10) ==
          "1<-Withdraw(2) 2<-Withdraw(2) 3<-Reset(2) 1<-Prepare(3: 1)");
  }
  SECTION("while it is offered, if nobody has agreed") {
    trainer.all_prepared(2, {1, 2, 3});
    CHECK(trainer.leave("n2", 10) == "1<-Withdraw(2) 2<-Withdraw(2)");
    CHECK(trainer.says(1, msg::Withdrawn{2}) == "");
    CHECK(trainer.says(2, msg::Withdrawn{2}) == "3<-Reset(2) 1<-Prepare(3: 1)");
  }
  SECTION("but what was agreed is done first") {
    trainer.all_prepared(2, {1, 2, 3});
    trainer.leave("n2", 10);
    CHECK(trainer.says(1, msg::Agreed{2, 2}) == "");
    trainer.all_switch(2, 3, {1, 2});
    CHECK(trainer.stable(1, 2, 2) == "1<-Prepare(3: 1,3) 3<-Prepare(3: 1,3)");
  }
}

TEST_CASE("an expand is not withdrawn for a node with time") {
  Trainer trainer;
  trainer.train(2);
  trainer.announce("n3", {3});
  trainer.load(3);
  CHECK(trainer.leave("n2", 1000) == "");
}

TEST_CASE("a member that is still in at the deadline counts as lost") {
  Trainer trainer;
  trainer.train(2);
  trainer.leave("n2", 10);
  CHECK(trainer.after(11) == "kill(2) 1<-Quiesce(3) free(n2)");
}

TEST_CASE(
    "a leaver that dies when all have passed the boundary costs nothing") {
  Trainer trainer;
  trainer.train(2);
  trainer.leave("n2", 60);
  trainer.says(1, msg::Prepared{2});
  trainer.says(1, msg::Switched{2, 3});
  CHECK(trainer.gone(2) == "free(n2)");
  trainer.stable(1, 2, 2);
  CHECK(trainer.membership.summary().generation == 2);
}

TEST_CASE("a rank 0 that leaves stays until its reports have come") {
  Trainer trainer;
  trainer.train(2);
  trainer.leave("n1", 60);
  trainer.says(2, msg::Prepared{2});
  trainer.says(2, msg::Switched{2, 4});
  // The new rank 0 was faster: it shows step 3, and step 2 is not recorded.
  CHECK(trainer.stable(2, 2, 3) == "");
  SECTION("then it is let go") {
    CHECK(trainer.stable(1, 1, 2) == "1<-Release");
  }
  SECTION("its death before is a loss, and another reports the steps") {
    CHECK(trainer.gone(1) == "2<-Quiesce(3) free(n1)");
    CHECK(trainer.status(2, 3, 4) == "2<-Resume(3: 2 h=4)");
    trainer.stable(2, 3, 2);
    trainer.stable(2, 3, 3);
    CHECK(trainer.membership.summary().step == 3);
  }
}

// --- losses ----------------------------------------------------------------

TEST_CASE("after a loss all go on from the furthest") {
  Trainer trainer;
  trainer.train(3);
  CHECK(trainer.gone(3) == "1<-Quiesce(2) 2<-Quiesce(2)");
  msg::StepPlan const fourth{4, {1, 2, 3}, {}}, fifth{5, {1, 2, 3}, {}};
  CHECK(trainer.status(1, 2, 3, fourth) == "");
  CHECK(trainer.status(2, 2, 4, fifth) ==
        "1<-Resume(2: 1,2 h=4 1 take it from 2 begun=5 without 3) "
        "2<-Resume(2: 1,2 h=4 1 take it from 2 begun=5 without 3)");
  CHECK(records(trainer.last, "generation").at(0).at("kind") == "loss");
}

TEST_CASE("a loss during a repair begins another") {
  Trainer trainer;
  trainer.train(3);
  trainer.gone(3);
  trainer.status(1, 2, 1);
  CHECK(trainer.gone(2) == "1<-Quiesce(3)");
  CHECK(trainer.status(1, 2, 1) == "");  // of the repair before
  CHECK(trainer.status(1, 3, 1) == "1<-Resume(3: 1 h=1)");
}

TEST_CASE("a joiner without proven state is reset, and brought in again") {
  Trainer trainer;
  trainer.train(2);
  trainer.announce("n3", {3});
  trainer.load(3);
  trainer.all_prepared(2, {1, 2, 3});
  trainer.all_switch(2, 3, {1, 2});
  CHECK(trainer.gone(2) == "1<-Quiesce(3) 3<-Quiesce(3)");
  trainer.status(3, 3, 2, {}, false);
  CHECK(trainer.status(1, 3, 2) ==
        "1<-Resume(3: 1 h=2) 3<-Reset(3) "
        "1<-Prepare(4: 1,3 joins 3) 3<-Prepare(4: 1,3 joins 3)");
}

TEST_CASE("an offered joiner that dies is left out, without a repair") {
  Trainer trainer;
  trainer.train(1);
  trainer.announce("n2", {2});
  trainer.load(2);
  trainer.all_prepared(2, {1, 2});
  CHECK(trainer.gone(2) == "1<-Withdraw(2)");
  CHECK(trainer.says(1, msg::Withdrawn{2}) == "");
}

TEST_CASE("if the switch to it is agreed, its death is a loss") {
  Trainer trainer;
  trainer.train(1);
  trainer.announce("n2", {2});
  trainer.load(2);
  trainer.all_prepared(2, {1, 2});
  trainer.gone(2);
  CHECK(trainer.says(1, msg::Agreed{2, 2}) == "1<-Quiesce(3)");
}

TEST_CASE("leavers are let go with the repair of a loss") {
  Trainer trainer;
  trainer.train(3);
  trainer.leave("n2", 60);
  trainer.gone(3);
  trainer.status(1, 3, 4);
  CHECK(trainer.status(2, 3, 4) == "1<-Resume(3: 1 h=4) 2<-Release");
}

TEST_CASE("but a leaver stays if only it has the last step") {
  Trainer trainer;
  trainer.train(3);
  trainer.leave("n2", 60);
  trainer.gone(3);
  trainer.status(1, 3, 3, msg::StepPlan{4, {1, 2, 3}, {}});
  CHECK(trainer.status(2, 3, 4) ==
        "1<-Resume(3: 1,2 h=4 1 take it from 2) "
        "2<-Resume(3: 1,2 h=4 1 take it from 2) 1<-Prepare(4: 1)");
}

TEST_CASE("a member that does not become quiet is killed") {
  Trainer trainer;
  trainer.train(3);
  trainer.gone(3);
  trainer.status(1, 2, 1);
  CHECK(trainer.after(11) == "kill(2) 1<-Quiesce(3)");
}

TEST_CASE("a plane that breaks with nobody dead is built anew") {
  Trainer trainer;
  trainer.train(2);
  CHECK(trainer.says(1, msg::PrepareFailed{1, "reset by peer"}) == "");
  CHECK(trainer.after(1) == "1<-Quiesce(2) 2<-Quiesce(2)");
}

TEST_CASE("with all state lost it begins again, with fresh processes") {
  Trainer trainer;
  trainer.train(2);
  trainer.gone(1);
  trainer.gone(2);
  CHECK(records(trainer.last, "rollback").at(0).at("to_step") == 0);
  CHECK(trainer.membership.summary().state == membership::State::waiting);
  trainer.announce("n1", {3});
  CHECK(trainer.load(3) == "3<-Prepare(4: 3)");
}

// --- steps, checkpoints, parks, the end ------------------------------------

TEST_CASE("each step is recorded once, whoever reports it") {
  Trainer trainer;
  trainer.train(2);
  trainer.stable(1, 1, 2);
  CHECK(records(trainer.last, "step").size() == 1);
  trainer.stable(2, 1, 2);
  CHECK(records(trainer.last, "step").empty());
  trainer.stable(1, 1, 4);
  CHECK(records(trainer.last, "step").empty());
  trainer.stable(1, 1, 3);
  CHECK(records(trainer.last, "step").size() == 2);
}

TEST_CASE("a checkpoint is asked for from time to time") {
  auto often = options();
  often.checkpoint_interval_s = 10;
  Trainer trainer(often);
  trainer.train(1);
  CHECK(trainer.after(5) == "");
  CHECK(trainer.after(6) == "1<-TakeCheckpoint(c1.safetensors)");
  CHECK(trainer.after(1) == "");
  trainer.says(1, msg::Checkpointed{1, 2, "c1.safetensors", 10, 8});
  CHECK(records(trainer.last, "checkpoint").empty());  // 2 is not recorded yet
  trainer.stable(1, 1, 2);
  CHECK(records(trainer.last, "checkpoint").size() == 1);
}

TEST_CASE("a checkpoint that was not asked for is never the newest") {
  auto often = options();
  often.checkpoint_interval_s = 10;
  Trainer trainer(often);
  trainer.train(3);
  CHECK(trainer.after(11) == "1<-TakeCheckpoint(c1.safetensors)");
  // Another member; another path; and, lost meanwhile, who was asked.
  trainer.says(2, msg::Checkpointed{1, 1, "c1.safetensors", 10, 8});
  CHECK(records(trainer.last, "checkpoint").empty());
  trainer.says(1, msg::Checkpointed{1, 1, "c9.safetensors", 10, 8});
  CHECK(records(trainer.last, "checkpoint").empty());
  trainer.gone(1);
  trainer.says(1, msg::Checkpointed{1, 1, "c1.safetensors", 10, 8});
  CHECK(trainer.last.empty());
}

// --- equal states ----------------------------------------------------------

namespace {

msg::StateDigest digest(msg::Generation generation, std::string const& value) {
  return {generation, 2, {{"weight", value}, {"momentum", "m"}}};
}

}  // namespace

TEST_CASE("members of a new generation are compared, all of them at once") {
  Trainer trainer;
  trainer.train(3);
  trainer.says(1, digest(1, "a"));
  trainer.says(2, digest(1, "a"));
  CHECK(records(trainer.last, "state_check").empty());
  CHECK(trainer.says(3, digest(1, "a")) == "");
  auto const check = records(trainer.last, "state_check").at(0);
  CHECK(check.at("members") == 3);
  CHECK(check.at("digests") == 2);
  CHECK(check.at("differ").empty());
}

TEST_CASE("who has another state than most is replaced, and it is said why") {
  Trainer trainer;
  trainer.train(3);
  trainer.says(1, digest(1, "a"));
  trainer.says(2, digest(1, "b"));
  CHECK(trainer.says(3, digest(1, "a")) ==
        "kill(2) 1<-Quiesce(2) 3<-Quiesce(2)");
  CHECK(records(trainer.last, "state_check").at(0).at("differ").at(0) == 2);
  auto const what = records(trainer.last, "error").at(0).at("what");
  CHECK(what.get<std::string>().find("tensor 'weight'") != std::string::npos);
}

TEST_CASE("of two that differ the first in rank is believed") {
  Trainer trainer;
  trainer.train(2);
  trainer.says(2, digest(1, "b"));
  CHECK(trainer.says(1, digest(1, "a")) == "kill(2) 1<-Quiesce(2)");
}

TEST_CASE("digests of a generation that is not in use are not compared") {
  Trainer trainer;
  trainer.train(2);
  trainer.says(1, digest(1, "a"));
  trainer.says(2, digest(9, "b"));
  trainer.gone(2);
  CHECK(trainer.says(1, digest(1, "b")) == "");
  CHECK(records(trainer.last, "state_check").empty());
}

TEST_CASE("when every node is to be left, the state goes to a file") {
  Trainer trainer;
  trainer.train(2);
  trainer.leave("n1", 60);
  trainer.says(2, msg::Prepared{2});
  CHECK(trainer.leave("n2", 10) == "1<-Withdraw(2) 2<-Withdraw(2)");
  trainer.says(1, msg::Withdrawn{2});
  CHECK(trainer.says(2, msg::Withdrawn{2}) ==
        "1<-Offer(3: park in c1.safetensors) "
        "2<-Offer(3: park in c1.safetensors)");
  trainer.stable(1, 3, 2, true);
  trainer.all_switch(3, 3, {1, 2});
  CHECK(trainer.says(1, msg::Checkpointed{3, 2, "c1.safetensors", 10, 8}) ==
        "1<-Release 2<-Release");
  CHECK(records(trainer.last, "step").size() == 1);
  CHECK(records(trainer.last, "park").at(0).at("step") == 2);
  CHECK(trainer.gone(1) == "free(n1)");
  CHECK(trainer.membership.summary().parked);

  trainer.announce("n3", {3});
  trainer.load(3);
  CHECK(trainer.says(3, msg::Prepared{4}) ==
        "3<-Start(4: source 3 from c1.safetensors)");
  CHECK(records(trainer.last, "generation").at(0).at("kind") == "resume");
}

TEST_CASE("a checkpoint that cannot be read gives way to the one before") {
  auto from = options();
  from.start_from = membership::Checkpoint{"old", 5, 20};
  Trainer trainer(from);
  trainer.announce("n1", {1});
  trainer.load(1);
  CHECK(trainer.says(1, msg::Prepared{1}) == "1<-Start(1: source 1 from old)");
  CHECK(trainer.says(1, msg::CheckpointFailed{1, "old", "torn"}) ==
        "1<-Quiesce(2)");
  CHECK(trainer.status(1, 2, 0, {}, false) == "1<-Reset(2) 1<-Prepare(3: 1)");
  CHECK(trainer.says(1, msg::Prepared{3}) == "1<-Start(3: source 1 from old)");
  trainer.says(1, msg::CheckpointFailed{3, "old", "torn"});
  // None is left, and this process has not the initial state any more.
  CHECK(trainer.status(1, 4, 0, {}, false) == "1<-Reset(4) kill(1)");
}

TEST_CASE("training is finished when all members have arrived at its end") {
  Trainer trainer;
  trainer.train(2);
  trainer.stable(1, 1, 2, true);
  CHECK(trainer.says(1, msg::Finished{1, 2}) == "");
  CHECK(trainer.says(2, msg::Finished{1, 2}) == "1<-Finish 2<-Finish finished");
  auto const finish = records(trainer.last, "finish").at(0);
  CHECK(finish.at("samples_seen") == 8);
  CHECK(finish.at("duplicate_samples") == 0);
  CHECK(finish.at("missing_samples") == 32);
}

TEST_CASE("who has not trained at the end is released") {
  // Finish would mean that it has the trained state.
  Trainer trainer;
  trainer.train(1);
  trainer.announce("n2", {2});
  (void)trainer.membership.add_members(trainer.now, "n3", {3});
  trainer.stable(1, 1, 2, true);
  CHECK(trainer.says(1, msg::Finished{1, 2}) ==
        "1<-Finish 2<-Release finished");
  trainer.says(3, msg::MemberHello{3, "n3", 1, "", ""});
  CHECK(trainer.load(3) == "3<-Release");
}

TEST_CASE("an end that not all have reached is not one") {
  Trainer trainer;
  trainer.train(2);
  trainer.stable(1, 1, 2, true);
  trainer.says(1, msg::Finished{1, 2});
  CHECK(trainer.gone(2) == "1<-Quiesce(2)");
  CHECK(trainer.membership.summary().step == 1);
}
