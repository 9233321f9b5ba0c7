// SPDX-License-Identifier: Apache-2.0
/// When a checkpoint is asked for, and what becomes of it.
#include "runtime/generation/checkpoint_schedule.hh"

#include "test/unit/catch.hh"

namespace gleaner::generation {

namespace {

/// Every 60 s, in a training that begins at 100 s.
CheckpointSchedule every_minute() {
  CheckpointSchedule schedule("run/c", 60);
  schedule.begin(100);
  return schedule;
}

}  // namespace

TEST_CASE("a checkpoint is due when the interval has passed since the last") {
  auto schedule = every_minute();
  CHECK_FALSE(schedule.is_due(159));
  CHECK(schedule.is_due(160));
  CHECK(schedule.ask(165, 1).path == "run/c1.safetensors");
  CHECK(schedule.take_answer(1, "run/c1.safetensors"));
  CHECK_FALSE(schedule.is_due(224));
  CHECK(schedule.is_due(225));
}

TEST_CASE("one checkpoint is asked for at a time") {
  auto schedule = every_minute();
  schedule.ask(160, 1);
  CHECK_FALSE(schedule.is_due(230));
  CHECK_FALSE(schedule.is_overdue(760));
  CHECK(schedule.is_overdue(761));  // ten intervals: it is not coming
  CHECK(schedule.take_back() == "run/c1.safetensors");
  CHECK(schedule.is_due(761));
}

TEST_CASE("without an interval only a park writes a checkpoint") {
  CheckpointSchedule schedule("c", 0);
  schedule.begin(100);
  CHECK_FALSE(schedule.is_due(1e9));
  CHECK(schedule.next_path() == "c1.safetensors");
}

TEST_CASE("no two checkpoints have the same path") {
  auto schedule = every_minute();
  CHECK(schedule.next_path() == "run/c1.safetensors");
  CHECK(schedule.ask(160, 1).path == "run/c2.safetensors");
  CHECK(schedule.next_path() == "run/c3.safetensors");
}

TEST_CASE("what a lost member was to write is taken back") {
  auto schedule = every_minute();
  schedule.ask(160, 1);
  CHECK_FALSE(schedule.take_back_from(2));
  CHECK(schedule.take_back_from(1) == "run/c1.safetensors");
  CHECK_FALSE(schedule.take_back_from(1));
}

TEST_CASE("a file counts only from the member that was asked for it") {
  auto schedule = every_minute();
  CHECK_FALSE(schedule.take_answer(1, "run/c1.safetensors"));
  schedule.ask(160, 1);
  CHECK_FALSE(schedule.take_answer(2, "run/c1.safetensors"));
  CHECK_FALSE(schedule.take_answer(1, "run/c9.safetensors"));
  CHECK(schedule.take_answer(1, "run/c1.safetensors"));
}

TEST_CASE("a file is registered with what its member said of it") {
  auto schedule = every_minute();
  msg::Checkpointed file;
  file.path = "run/c1.safetensors";
  file.bytes = 4096;
  schedule.written({file, "periodic"});
  CHECK_FALSE(schedule.take_registered("run/c0.safetensors"));
  auto const registered = schedule.take_registered("run/c1.safetensors");
  REQUIRE(registered);
  CHECK(registered->file.bytes == 4096);
  CHECK(registered->kind == "periodic");
  CHECK_FALSE(schedule.take_registered("run/c1.safetensors"));
}

TEST_CASE("a park whose checkpoint failed is tried again after a second") {
  auto schedule = every_minute();
  CHECK(schedule.may_park(100));
  schedule.park_failed(100);
  CHECK_FALSE(schedule.may_park(100.9));
  CHECK(schedule.may_park(101));
}

}  // namespace gleaner::generation
