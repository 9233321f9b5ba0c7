// SPDX-License-Identifier: Apache-2.0
/// What is recorded, saved and compared while members train, and when is it
/// over?  Each test is one rule; orders are written as in notation.hh.
#include <utility>

#include "runtime/generation/membership.hh"
#include "test/unit/catch.hh"
#include "trainer_notation.hh"

namespace gleaner::generation {

using namespace notation;

// --- steps, checkpoints, parks, the end ------------------------------------

TEST_CASE("each step is recorded once, no matter who reports it") {
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

namespace {

/// What was shown of `loss`: "3: 2.5 of 8", values as means and their samples.
std::string shown(membership::Orders const& orders) {
  std::string out;
  for (auto const& fields : records(orders, "log"))
    out += (out.empty() ? "" : ", ") + fields.at("step").dump() + ": " +
           fields.at("value").dump() + " of " + fields.at("n").dump();
  return out;
}

/// A heartbeat of a member whose program is in this step, with what it logged.
void beats(Trainer& trainer, msg::MemberId member, msg::Step step,
           std::vector<msg::LogValue> values = {}) {
  if (!values.empty()) trainer.says(member, msg::LogValues{std::move(values)});
  msg::Alive alive;
  alive.at = "program";
  alive.step = step;
  trainer.says(member, alive);
}

}  // namespace

TEST_CASE("a value is shown once, when all members are further") {
  Trainer trainer;
  trainer.train(2);
  for (msg::Step step = 2; step <= 6; ++step) trainer.stable(1, 1, step);
  beats(trainer, 1, 7, {{1, "loss", 4, 2}, {2, "loss", 3, 2}});
  trainer.after(1);
  CHECK(shown(trainer.last) == "");  // nothing was heard of 2 yet
  beats(trainer, 2, 3, {{1, "loss", 2, 2}});
  trainer.after(1);
  CHECK(shown(trainer.last) == "1: 3.0 of 4");
  beats(trainer, 2, 4, {{1, "loss", 9, 9}, {2, "loss", 1, 2}});
  trainer.after(1);
  CHECK(shown(trainer.last) == "2: 2.0 of 4");
}

TEST_CASE("a member that is gone keeps no value from being shown") {
  Trainer trainer;
  trainer.train(2);
  for (msg::Step step = 2; step <= 4; ++step) trainer.stable(1, 1, step);
  beats(trainer, 1, 5, {{1, "loss", 4, 2}});
  trainer.gone(2);
  trainer.says(1, msg::Status{2, true, 4, {}});
  beats(trainer, 1, 5);
  trainer.after(1);
  CHECK(shown(trainer.last) == "1: 4.0 of 2");
}

TEST_CASE("the last values are shown when all have arrived at the end") {
  Trainer trainer;
  trainer.train(2);
  for (msg::Step step = 2; step <= 10; ++step) trainer.stable(1, 1, step);
  trainer.says(1, msg::LogValues{{{10, "loss", 4, 2}}});
  trainer.says(1, msg::Finished{1, 10});
  CHECK(shown(trainer.last) == "");
  trainer.says(2, msg::LogValues{{{10, "loss", 2, 2}}});
  trainer.says(2, msg::Finished{1, 10});
  CHECK(shown(trainer.last) == "10: 3.0 of 4");
}

namespace {

/// Members 1 and 2 are to park after step 2; 1 has, and wrote the file.
struct Parking : Trainer {
  Parking() {
    train(2);
    leave("n1", 60);
    leave("n2", 60);
    says(1, msg::Prepared{2});
    says(2, msg::Prepared{2});
    says(1, msg::Withdrawn{2});
    says(2, msg::Withdrawn{2});
    says(1, msg::LogValues{{{2, "loss", 4, 2}}});
    stable(1, 3, 2, true);
    says(1, msg::Switched{3, 3});
  }
  std::string written() {
    return says(1, msg::Checkpointed{3, 2, "c1.safetensors", 10, 8});
  }
};

}  // namespace

TEST_CASE(
    "a park shows the values of its step, and then its checkpoint counts") {
  Parking trainer;
  trainer.says(2, msg::LogValues{{{2, "loss", 2, 2}}});
  trainer.says(2, msg::Switched{3, 3});
  CHECK(trainer.written() == "1<-Release 2<-Release");
  CHECK(shown(trainer.last) == "2: 3.0 of 4");
  CHECK(records(trainer.last, "checkpoint").size() == 1);
}

TEST_CASE("a park lets all go, and waits for values of who has not arrived") {
  Parking trainer;
  CHECK(trainer.written() == "1<-Release 2<-Release");
  CHECK(shown(trainer.last) == "");
  CHECK(records(trainer.last, "checkpoint").empty());
  trainer.announce("n3", {3});
  CHECK(trainer.load(3) == "");  // there is no state yet that it could read
  SECTION("it tells them when it goes") {
    trainer.says(2, msg::LogValues{{{2, "loss", 2, 2}, {3, "loss", 9, 9}}});
    trainer.gone(2);
    trainer.after(1);
    CHECK(shown(trainer.last) == "2: 3.0 of 4");
  }
  SECTION("or is lost with them") {
    trainer.gone(2);
    trainer.after(1);
    CHECK(shown(trainer.last) == "2: 4.0 of 2");
  }
  CHECK(records(trainer.last, "checkpoint").size() == 1);
}

TEST_CASE("when nothing more will be heard, a park counts as it is") {
  Parking trainer;
  trainer.written();
  trainer.keep(trainer.membership.last_values());
  CHECK(shown(trainer.last) == "2: 4.0 of 2");
  CHECK(records(trainer.last, "checkpoint").size() == 1);
}

TEST_CASE("who is released after a loss has no part in later steps") {
  Trainer trainer;
  trainer.train(3);
  trainer.stable(1, 1, 2);
  trainer.leave("n3", 60);
  trainer.gone(2);
  trainer.says(1, msg::Status{3, true, 2, {}});
  trainer.says(3, msg::Status{3, true, 2, {}});
  beats(trainer, 1, 9, {{2, "loss", 4, 2}, {3, "loss", 4, 2}});
  trainer.stable(1, 3, 3);
  trainer.after(1);
  CHECK(shown(trainer.last) == "");  // 3 still owes what it has of step 2
  trainer.says(3, msg::LogValues{{{2, "loss", 2, 2}, {3, "loss", 2, 2}}});
  trainer.gone(3);
  trainer.after(1);
  CHECK(shown(trainer.last) == "2: 3.0 of 4, 3: 4.0 of 2");
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
  trainer.after(1);
  CHECK(records(trainer.last, "checkpoint").empty());  // nor what it has logged
  beats(trainer, 1, 4);
  trainer.after(1);
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
  // Nobody waits for who has not even connected.
  (void)trainer.membership.add_members(trainer.now, "n3", {3});
  trainer.stable(1, 1, 2, true);
  CHECK(trainer.says(1, msg::Finished{1, 2}) ==
        "1<-Finish 2<-Release kill(3) finished");
}

TEST_CASE("an end that not all have reached is not one") {
  Trainer trainer;
  trainer.train(2);
  trainer.stable(1, 1, 2, true);
  trainer.says(1, msg::Finished{1, 2});
  CHECK(trainer.gone(2) == "1<-Quiesce(2)");
  CHECK(trainer.membership.summary().step == 1);
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

}  // namespace gleaner::generation
