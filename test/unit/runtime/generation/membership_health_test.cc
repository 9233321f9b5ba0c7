// SPDX-License-Identifier: Apache-2.0
/// Members that live, but are of no use: each test is one rule; orders are
/// written as in notation.hh.
#include "test/unit/catch.hh"
#include "trainer_notation.hh"

namespace gleaner::generation {

using namespace notation;

namespace {

msg::Alive alive(char const* where, double for_s, double busy_left_s = 0) {
  msg::Alive message;
  message.at = where;
  message.for_s = for_s;
  message.step = 2;
  message.steps = 100;
  message.busy = busy_left_s > 0 ? "evaluation" : "";
  message.busy_left_s = busy_left_s;
  return message;
}

std::string why_lost(Trainer const& trainer) {
  auto const lost = records(trainer.last, "member_lost");
  return lost.empty() ? "" : lost[0].at("why");
}

}  // namespace

TEST_CASE("all time limits follow from the failure timeout") {
  auto const usual = membership::with_failure_timeout(5);
  CHECK(usual.failure_timeout_s == 5);
  CHECK(usual.prepare_timeout_s == 30);
  CHECK(usual.urgent_s == 20);
  CHECK(usual.exit_timeout_s == 5);
  CHECK(usual.connect_timeout_s == 5);
  CHECK(usual.load_timeout_s == 600);
  CHECK(usual.stuck.timeout_s == 60);
  CHECK(membership::with_failure_timeout(50).stuck.timeout_s == 600);
  // A program does not end faster because losses are noticed faster.
  CHECK(membership::with_failure_timeout(.5).exit_timeout_s == 5);
}

// --- connecting after a loss -----------------------------------------------

TEST_CASE("members that take long to connect may do so after a loss, too") {
  auto const resume_after = [](double connecting_s) {
    Trainer trainer;
    trainer.announce("n1", {1});
    trainer.announce("n2", {2});
    trainer.announce("n3", {3});
    for (msg::MemberId const id : {1, 2, 3}) trainer.load(id);
    trainer.after(connecting_s);
    trainer.all_prepared(1, {1, 2, 3});
    trainer.stable(1, 1, 1);
    trainer.gone(3);
    trainer.status(1, 2, 1);
    trainer.status(2, 2, 1);
    double waited_s = 0;
    while (waited_s < 100 && trainer.after(1).empty()) waited_s += 1;
    return waited_s;
  };
  CHECK(resume_after(.1) == 10);  // connect_timeout_s
  CHECK(resume_after(6) == 18);
  CHECK(resume_after(20) == 30);  // prepare_timeout_s
}

// --- stuck -----------------------------------------------------------------

TEST_CASE("a member that all others wait for is replaced") {
  Trainer trainer;
  trainer.train(3);
  trainer.says(1, alive("reduction", 61));
  trainer.says(2, alive("reduction", 61));
  CHECK(trainer.after(.02) == "");  // 3 has not said where it is
  trainer.says(3, alive("program", 62));
  CHECK(trainer.after(.02) == "kill(3) 1<-Quiesce(2) 2<-Quiesce(2)");
  CHECK(why_lost(trainer) ==
        "it is stuck: all others wait for it in step 2, and for 62 s its "
        "program has not called gleaner_reduce()");
}

TEST_CASE("one that is busy is not, until its time is up") {
  Trainer trainer;
  trainer.train(2);
  trainer.says(1, alive("reduction", 100));
  trainer.says(2, alive("program", 100, 10));
  CHECK(records(trainer.last, "busy").at(0).at("why") == "evaluation");
  CHECK(trainer.after(.02) == "");
  trainer.says(2, alive("program", 101, 9));
  CHECK(records(trainer.last, "busy").empty());  // told once
  auto late = alive("program", 111);
  late.busy = "evaluation";
  trainer.says(2, late);
  CHECK(trainer.after(.02) == "kill(2) 1<-Quiesce(2)");
  CHECK(why_lost(trainer).find("busy with 'evaluation'") != std::string::npos);
}

TEST_CASE("what was said in the generation before is forgotten") {
  Trainer trainer;
  trainer.train(3);
  trainer.says(1, alive("reduction", 61));
  trainer.says(2, alive("program", 62));
  trainer.gone(3);
  trainer.status(1, 2, 1);
  trainer.status(2, 2, 1);
  CHECK(trainer.after(.02) == "");
  trainer.says(2, alive("program", 63));
  trainer.says(1, alive("reduction", 1));
  CHECK(trainer.after(.02) == "");
}

TEST_CASE("a joiner that others wait for in its first step is replaced") {
  Trainer trainer;
  trainer.train(1);
  trainer.announce("n2", {2});
  trainer.load(2);
  trainer.all_prepared(2, {1, 2});
  trainer.all_switch(2, 3, {1});
  auto first = alive("program", 200);
  first.steps = 0;
  trainer.says(1, alive("reduction", 200));
  trainer.says(2, first);
  CHECK(trainer.after(.02) == "");
  first.for_s = 301;
  trainer.says(1, alive("reduction", 301));
  trainer.says(2, first);
  CHECK(trainer.after(.02) == "kill(2) 1<-Quiesce(3)");
}

TEST_CASE("a plane in which all wait is built again") {
  Trainer trainer;
  trainer.train(3);
  trainer.says(1, alive("reduction", 61));
  trainer.says(2, alive("reduction", 62));
  trainer.says(3, alive("reduction", 59));
  CHECK(trainer.after(.02) == "");
  trainer.says(3, alive("reduction", 61));
  CHECK(trainer.after(.02) == "");
  CHECK(records(trainer.last, "error").at(0).at("what") ==
        "the data plane is stuck: all members have waited in it for 60 s");
  CHECK(trainer.after(1) == "1<-Quiesce(2) 2<-Quiesce(2) 3<-Quiesce(2)");
  CHECK(records(trainer.last, "member_lost").empty());
}

TEST_CASE("who has finished waits for the others' last step") {
  Trainer trainer;
  trainer.train(2);
  trainer.says(1, msg::Finished{1, 7});
  trainer.says(1, alive("library", 61));
  SECTION("in the plane") {
    trainer.says(2, alive("reduction", 61));
    CHECK(trainer.after(.02) == "");
    CHECK(trainer.after(1) == "1<-Quiesce(2) 2<-Quiesce(2)");
  }
  SECTION("in the program") {
    trainer.says(2, alive("program", 61));
    CHECK(trainer.after(.02).find("kill(2)") != std::string::npos);
  }
}

TEST_CASE("a plane that is not connected yet is not stuck") {
  Trainer trainer;
  trainer.train(2);
  trainer.says(1, msg::PrepareFailed{1, "lost"});
  trainer.after(1);
  trainer.status(1, 2, 1);
  trainer.status(2, 2, 1);
  trainer.says(1, alive("reduction", 61));
  trainer.says(2, alive("reduction", 61));
  CHECK(trainer.after(.02) == "");
  CHECK(records(trainer.last, "error").empty());
  trainer.says(1, msg::Prepared{2});
  trainer.says(2, msg::Prepared{2});
  CHECK(trainer.after(.02) == "");  // that was before they were connected
  CHECK(records(trainer.last, "error").empty());
}

TEST_CASE("nobody waits in a plane of one member") {
  Trainer trainer;
  trainer.train(1);
  trainer.says(1, alive("reduction", 1000));
  CHECK(trainer.after(.02) == "");
  CHECK(trainer.after(10) == "");
}

// --- a plane that is refused -----------------------------------------------

/// All of generation `g` refuse it, the first of `members` first.
std::string all_refuse(Trainer& trainer, msg::Generation g,
                       Ids const& members) {
  auto const orders =
      trainer.says(members.front(),
                   msg::PrepareFailed{g, "ranks 0 and 2 have the same GPU"});
  for (auto const id : members)
    trainer.says(id, msg::PrepareFailed{g, "ranks 0 and 2 have the same GPU"});
  return orders;
}

TEST_CASE("a joiner that does not fit keeps none out that came with it") {
  Trainer trainer;
  trainer.train(1);
  trainer.announce("n2", {2});
  trainer.announce("n3", {3});
  trainer.load(2);
  trainer.load(3);  // the misfit, whoever says so
  auto const both = [](std::string const& g) {
    return "1<-Prepare(" + g + ": 1,2,3 joins 2,3) 2<-Prepare(" + g +
           ": 1,2,3 joins 2,3) 3<-Prepare(" + g + ": 1,2,3 joins 2,3)";
  };
  CHECK(all_refuse(trainer, 2, {2, 1, 3}).find(both("3")) != std::string::npos);
  CHECK(all_refuse(trainer, 3, {2, 1, 3})
            .find("1<-Prepare(4: 1,2 joins 2) 2<-Prepare(4: 1,2 joins 2)") !=
        std::string::npos);
  trainer.all_prepared(4, {1, 2});
  trainer.all_switch(4, 3, {1});
  CHECK(trainer.stable(1, 4, 2).find("1<-Prepare(5: 1,2,3 joins 3)") !=
        std::string::npos);
  for (msg::Generation const g : {5, 6})
    CHECK(all_refuse(trainer, g, {1, 2, 3}).find("kill") == std::string::npos);
  CHECK(all_refuse(trainer, 7, {1, 2, 3}).find("kill(3)") != std::string::npos);
  CHECK(trainer.membership.summary().members == Ids{1, 2});
}

TEST_CASE("a training begins with those that fit") {
  Trainer trainer;
  trainer.announce("n1", {1});
  trainer.announce("n2", {2});
  trainer.announce("n3", {3});
  for (msg::MemberId const id : {1, 2, 3}) trainer.load(id);
  all_refuse(trainer, 1, {2, 1, 3});
  CHECK(all_refuse(trainer, 2, {2, 1, 3}).find("1<-Prepare(3: 1)") !=
        std::string::npos);
}

TEST_CASE("it does not begin on fewer nodes than it must have") {
  auto two = options();
  two.nodes_min = 2;
  Trainer trainer(two);
  trainer.announce("n1", {1});
  trainer.announce("n2", {2});
  trainer.load(1);
  trainer.load(2);
  all_refuse(trainer, 1, {2, 1});
  all_refuse(trainer, 2, {2, 1});
  CHECK(all_refuse(trainer, 3, {2, 1}) == "1<-Reset(3) 2<-Reset(3) kill(2)");
}

// --- never ready -----------------------------------------------------------

TEST_CASE("a member that never becomes ready is replaced") {
  auto impatient = options();
  impatient.load_timeout_s = 50;
  Trainer trainer(impatient);
  trainer.train(1);
  SECTION("because it does not even connect") {
    (void)trainer.membership.add_members(trainer.now, "n2", {2});
    CHECK(trainer.after(49) == "");
    CHECK(trainer.after(2) == "kill(2)");
    CHECK(why_lost(trainer) == "it did not call gleaner_open() in time");
    CHECK(records(trainer.last, "member_lost").at(0).at("node") == "n2");
  }
  SECTION("because it does not call gleaner_start()") {
    trainer.announce("n2", {2});
    CHECK(trainer.after(51) == "kill(2)");
    CHECK(why_lost(trainer) == "it did not call gleaner_start() in time");
  }
  SECTION("unless it says that it is busy") {
    trainer.announce("n2", {2});
    trainer.says(2, alive("program", 40, 60));
    CHECK(trainer.after(51) == "");
    trainer.says(2, alive("program", 101));
    CHECK(trainer.after(.02) == "kill(2)");
  }
}

TEST_CASE("others are not held up by one that never becomes ready") {
  Trainer trainer;
  trainer.train(1);
  (void)trainer.membership.add_members(trainer.now, "n2", {2});
  trainer.announce("n3", {3});
  CHECK(trainer.load(3) == "");
  CHECK(trainer.after(.3) ==
        "1<-Prepare(2: 1,3 joins 3) 3<-Prepare(2: 1,3 joins 3)");
}

}  // namespace gleaner::generation
