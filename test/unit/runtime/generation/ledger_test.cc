// SPDX-License-Identifier: Apache-2.0
/// What is recorded for certain: each step once, in order, and never undone
/// but by a rollback.
#include "runtime/generation/ledger.hh"

#include "runtime/generation/log_means.hh"
#include "runtime/generation/resize_cost.hh"
#include "test/unit/catch.hh"

namespace gleaner::generation {

namespace {

/// Step s takes positions [4(s-1), 4s) of pass 0.
msg::Stable stable(msg::Step step) {
  msg::Stable report;
  report.step = step;
  report.samples_seen = 4 * step;
  report.taken = {{std::uint64_t(4 * step - 4), std::uint64_t(4 * step)}};
  return report;
}

msg::Stable tentative(msg::Step step) {
  auto report = stable(step);
  report.tentative = true;
  return report;
}

}  // namespace

TEST_CASE("a step is recorded once, however often it is reported") {
  Ledger ledger({});
  CHECK(ledger.on_stable(stable(1)).size() == 1);
  CHECK(ledger.on_stable(stable(1)).empty());
  CHECK(ledger.recorded() == 1);
}

TEST_CASE("a step waits for the one before it") {
  Ledger ledger({});
  CHECK(ledger.on_stable(stable(2)).empty());
  auto const now = ledger.on_stable(stable(1));
  REQUIRE(now.size() == 2);
  CHECK(now[0].step == 1);
  CHECK(now[1].step == 2);
}

TEST_CASE("a tentative report counts when all have arrived at the step") {
  Ledger ledger({});
  CHECK(ledger.on_stable(tentative(1)).empty());
  CHECK(ledger.recorded() == 0);
  CHECK(ledger.commit_tentative(1).size() == 1);
  CHECK(ledger.recorded() == 1);
}

TEST_CASE("after a loss what was not recorded must be reported again") {
  Ledger ledger({});
  CHECK(ledger.on_stable(stable(2)).empty());
  CHECK(ledger.on_stable(tentative(3)).empty());
  ledger.forget_unrecorded();
  CHECK(ledger.on_stable(stable(1)).size() == 1);
  CHECK(ledger.commit_tentative(3).empty());
}

TEST_CASE("a checkpoint counts when its step is recorded") {
  Ledger ledger({});
  ledger.values_shown(2);
  ledger.checkpoint_asked();
  ledger.add_checkpoint({"a", 2, 8});
  CHECK_FALSE(ledger.take_registered());
  CHECK(ledger.on_stable(stable(1)).size() == 1);
  CHECK_FALSE(ledger.take_registered());
  CHECK(ledger.on_stable(stable(2)).size() == 1);
  auto const registered = ledger.take_registered();
  REQUIRE(registered);
  CHECK(registered->path == "a");
  CHECK_FALSE(ledger.take_registered());
}

TEST_CASE("a checkpoint counts when the values up to its step are shown") {
  Ledger ledger({});
  for (msg::Step step = 1; step <= 3; ++step) ledger.on_stable(stable(step));
  ledger.values_shown(1);
  ledger.add_checkpoint({"a", 2, 8});
  CHECK(ledger.checkpoint_waits());
  CHECK_FALSE(ledger.take_registered());
  CHECK_FALSE(ledger.newest());
  SECTION("as it is told later") {
    ledger.values_shown(2);
    CHECK_FALSE(ledger.checkpoint_waits());
    CHECK(ledger.take_registered()->path == "a");
  }
  SECTION("not when the steps were undone") {
    ledger.roll_back();
    CHECK_FALSE(ledger.checkpoint_waits());
    CHECK(ledger.recorded() == 0);
    ledger.values_shown(0);
    for (msg::Step step = 1; step <= 2; ++step) ledger.on_stable(stable(step));
    ledger.add_checkpoint({"b", 1, 4});
    CHECK(ledger.checkpoint_waits());  // step 1 logs again
  }
}

TEST_CASE("a training that resumes has shown what came before") {
  Ledger ledger(membership::Checkpoint{"a", 3, 12});
  ledger.add_checkpoint({"b", 3, 12});
  CHECK(ledger.take_registered()->path == "b");
}

TEST_CASE("two checkpoints are kept") {
  Ledger ledger({});
  ledger.values_shown(3);
  std::vector<std::string> superseded;
  for (auto const* path : {"a", "b", "c"}) {
    ledger.on_stable(stable(ledger.recorded() + 1));
    ledger.add_checkpoint({path, ledger.recorded(), ledger.samples_seen()});
    superseded = ledger.take_registered()->superseded;
  }
  CHECK(superseded == std::vector<std::string>{"a"});
  ledger.discard_newest();
  CHECK(ledger.newest()->path == "b");
}

TEST_CASE("a rollback goes to the newest checkpoint, or to the start") {
  Ledger ledger({});
  for (msg::Step step = 1; step <= 3; ++step) ledger.on_stable(stable(step));
  SECTION("none") {
    ledger.roll_back();
    CHECK(ledger.recorded() == 0);
  }
  SECTION("one") {
    ledger.values_shown(3);
    ledger.add_checkpoint({"a", 3, 12});
    ledger.on_stable(stable(4));
    ledger.roll_back();
    CHECK(ledger.recorded() == 3);
    CHECK(ledger.samples_seen() == 12);
  }
}

TEST_CASE("the audit finds samples that are recorded twice or never") {
  Ledger ledger({});
  ledger.set_dataset_size(12);
  ledger.on_stable(stable(1));
  auto again = stable(2);
  again.taken = {{3, 7}};
  ledger.on_stable(again);
  CHECK(ledger.audit().duplicate == 1);
  auto next_pass = stable(3);
  next_pass.pass = 1;
  next_pass.taken = {{0, 4}};
  ledger.on_stable(next_pass);
  CHECK(ledger.audit().missing == 8);
}

TEST_CASE("the audit takes a rollback into account") {
  // The checkpoint was asked for after step 1, holds step 2, and came when
  // step 3 was recorded.  Steps 3 and 4 are done again.
  Ledger ledger({});
  ledger.set_dataset_size(16);
  ledger.on_stable(stable(1));
  ledger.checkpoint_asked();
  ledger.on_stable(stable(2));
  ledger.on_stable(stable(3));
  ledger.add_checkpoint({"a", 2, 8});
  ledger.values_shown(3);
  ledger.roll_back();
  ledger.on_stable(stable(3));
  ledger.on_stable(stable(4));
  ledger.end_training();
  CHECK(ledger.audit().duplicate == 0);
  CHECK(ledger.audit().missing == 0);
}

TEST_CASE("a pass that another coordinator began is not called incomplete") {
  Ledger ledger(membership::Checkpoint{"a", 2, 8});
  ledger.set_dataset_size(16);
  CHECK(ledger.on_stable(stable(2)).empty());
  CHECK(ledger.on_stable(stable(3)).size() == 1);
  ledger.end_training();
  CHECK(ledger.audit().missing == 0);
}

TEST_CASE("stall = the longest step around the switch - the median before") {
  ResizeCost cost;
  for (msg::Step step = 1; step <= 10; ++step) cost.step(step, .1);
  cost.begin({2, "expand", 1, 2, .5, 11, 0});
  cost.step(11, .4);
  cost.step(12, .1);
  CHECK_FALSE(cost.take_measured());
  cost.step(13, .1);
  auto const resize = cost.take_measured();
  REQUIRE(resize);
  CHECK(resize->stall_s == Approx(.3));
}

TEST_CASE("steps whose duration nobody measured do not count") {
  ResizeCost cost;
  for (msg::Step step = 1; step <= 10; ++step) cost.step(step, step % 2 * .1);
  cost.begin({2, "loss", 2, 1, 0, 11, 0});
  cost.step(11, .3);
  CHECK(cost.take_unfinished()->stall_s == Approx(.2));
}

TEST_CASE("a logged value is the mean over all samples of the step") {
  LogMeans means;
  means.add({1, "loss", 2.0, 30});
  means.add({1, "loss", 4.0, 10});
  means.add({2, "loss", 1.0, 40});
  auto const first = means.take_until(1);
  REQUIRE(first.size() == 1);
  CHECK(first[0].value == Approx(2.5));
  CHECK(first[0].max == 4.0);
  CHECK(first[0].n == 40);
  means.forget_after(1);
  CHECK(means.take_until(9).empty());
  means.add({9, "loss", 1.0, 40});  // too late
  CHECK(means.empty());
  means.forget_after(8);  // undone, and done again
  means.add({9, "loss", 1.0, 40});
  CHECK(means.take_until(9).size() == 1);
}

}  // namespace gleaner::generation
