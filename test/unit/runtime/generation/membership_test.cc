// SPDX-License-Identifier: Apache-2.0
/// Who trains together, and how all get there.  Each test is one rule; orders
/// are written as in notation.hh.
#include "runtime/generation/membership.hh"

#include "test/unit/catch.hh"
#include "trainer_notation.hh"

namespace gleaner::generation {

using namespace notation;

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
    auto options = notation::options();
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
  auto options = notation::options();
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

TEST_CASE("members that are lost together cost one repair") {
  Trainer trainer;
  trainer.train(4);
  CHECK(trainer.gone(4) == "1<-Quiesce(2) 2<-Quiesce(2) 3<-Quiesce(2)");
  SECTION("the last loss comes before the last answer") {
    CHECK(trainer.gone(3) == "");
    CHECK(trainer.status(1, 2, 1) == "");
    CHECK(trainer.status(2, 2, 1) ==
          "1<-Resume(2: 1,2 h=1) 2<-Resume(2: 1,2 h=1)");
  }
  SECTION("or after it") {
    trainer.status(1, 2, 1);
    trainer.status(2, 2, 1);
    CHECK(trainer.gone(3) == "1<-Resume(2: 1,2 h=1) 2<-Resume(2: 1,2 h=1)");
  }
  SECTION("what the dead has answered counts no more") {
    trainer.status(2, 2, 1);
    trainer.status(3, 2, 2);
    CHECK(trainer.gone(3) == "");
    CHECK(trainer.status(1, 2, 1) ==
          "1<-Resume(2: 1,2 h=1) 2<-Resume(2: 1,2 h=1)");
  }
}

TEST_CASE("a loss after a repair begins another") {
  Trainer trainer;
  trainer.train(3);
  trainer.gone(3);
  trainer.status(1, 2, 1);
  trainer.status(2, 2, 1);
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
  CHECK(trainer.after(11) == "kill(2) 1<-Resume(2: 1 h=1)");
}

TEST_CASE("a plane that breaks with nobody dead is built again") {
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
  CHECK(trainer.load(3) == "3<-Prepare(3: 3)");
}

}  // namespace gleaner::generation
