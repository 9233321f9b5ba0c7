// SPDX-License-Identifier: Apache-2.0
/// What is kept and shown of a training.  See also ledger_test.cc and
/// checkpoint_schedule_test.cc.
#include "runtime/generation/training_record.hh"

#include "test/unit/catch.hh"

namespace gleaner::generation {

namespace {

/// A training of members 1 and 2 with checkpoints every 60 s from 100 s on.
struct Recorded {
  Recorded() : record(options()) { record.begin_checkpoints(100); }
  static membership::Options options() {
    membership::Options options;
    options.checkpoint_prefix = "c";
    options.checkpoint_interval_s = 60;
    return options;
  }
  static msg::Stable stable(msg::Step step) {
    msg::Stable report;
    report.generation = report.reduced_in = 1;
    report.step = step;
    report.samples_seen = 4 * step;
    report.taken = {{std::uint64_t(4 * step - 4), std::uint64_t(4 * step)}};
    report.duration_s = 0.5;
    return report;
  }
  static msg::Checkpointed file(std::string const& path, msg::Step step) {
    msg::Checkpointed file;
    file.path = path;
    file.step = step;
    return file;
  }
  /// The events and orders since the last call: "step checkpoint Register".
  std::string text() {
    std::string text;
    for (auto const& order : out.take()) {
      if (!text.empty()) text += ' ';
      if (auto const* record = std::get_if<membership::Record>(&order))
        text += record->event;
      else if (std::holds_alternative<membership::Register>(order))
        text += "Register";
      else if (std::holds_alternative<membership::Send>(order))
        text += "Send";
    }
    return text;
  }
  std::string step(msg::Step step) {
    record.stable(out, stable(step), {1, 2});
    return text();
  }

  TrainingRecord record;
  membership::OrderList out;
};

}  // namespace

TEST_CASE("each step is recorded once, in order") {
  Recorded r;
  CHECK(r.step(2).empty());
  CHECK(r.step(1) == "step step");
  CHECK(r.step(1).empty());
  CHECK(r.record.recorded() == 2);
  CHECK(r.record.step_s() == 0.5);
}

TEST_CASE("members are told from time to time what is recorded") {
  Recorded r;
  for (msg::Step step = 1; step < 64; ++step) CHECK(r.step(step) == "step");
  CHECK(r.step(64) == "step Send Send");
  CHECK(r.step(65) == "step");
}

TEST_CASE("a checkpoint is the newest once its step and values are recorded") {
  Recorded r;
  r.step(1);
  r.record.ask_when_due(r.out, 159, 1);
  CHECK(r.text().empty());
  r.record.ask_when_due(r.out, 160, 1);
  CHECK(r.text() == "Send");
  r.record.written(r.out, 1, Recorded::file("c1.safetensors", 2));
  CHECK(r.text().empty());
  CHECK_FALSE(r.record.newest());
  CHECK(r.step(2) == "step");
  CHECK(r.record.checkpoint_waits());
  CHECK_FALSE(r.record.newest());
  r.record.value({2, "loss", 1, 4});
  r.record.show_values(r.out, 2);
  CHECK(r.text() == "log Register checkpoint");
  CHECK(r.record.newest()->path == "c1.safetensors");
}

TEST_CASE(
    "a checkpoint that waits for values is looked at, and no other asked") {
  Recorded r;
  r.step(1);
  r.record.ask_when_due(r.out, 160, 1);
  r.record.written(r.out, 1, Recorded::file("c1.safetensors", 1));
  CHECK(r.record.may_show_values(160));  // though nothing was logged
  r.step(2);
  r.text();
  r.record.ask_when_due(r.out, 300, 1);
  CHECK(r.text().empty());
  r.record.show_values(r.out, 1);
  CHECK(r.text() == "Register checkpoint");
  r.record.ask_when_due(r.out, 301, 1);
  CHECK(r.text() == "Send");
}

TEST_CASE("values that came without the others' make no checkpoint count") {
  Recorded r;
  r.step(1);
  r.record.ask_when_due(r.out, 160, 1);
  r.record.written(r.out, 1, Recorded::file("c1.safetensors", 1));
  r.record.value({1, "loss", 1, 2});
  r.text();
  r.record.show_what_came(r.out);
  CHECK(r.text() == "log");
  CHECK_FALSE(r.record.newest());
}

TEST_CASE("no checkpoint is asked for while there is no step since the last") {
  Recorded r;
  r.step(1);
  r.record.ask_when_due(r.out, 160, 1);
  r.record.written(r.out, 1, Recorded::file("c1.safetensors", 1));
  r.record.show_values(r.out, 1);
  CHECK(r.text() == "Send Register checkpoint");
  r.record.ask_when_due(r.out, 300, 1);
  CHECK(r.text().empty());
  r.step(2);
  r.record.ask_when_due(r.out, 301, 1);
  CHECK(r.text() == "Send");
}

TEST_CASE("a park keeps its step, though only one member has reported it") {
  Recorded r;
  r.step(1);
  auto tentative = Recorded::stable(2);
  tentative.tentative = true;
  r.record.stable(r.out, tentative, {1, 2});
  CHECK(r.text().empty());
  r.record.parked(r.out, Recorded::file("c1.safetensors", 2), {1, 2});
  CHECK(r.text() == "step");
  r.record.show_values(r.out, 2);
  CHECK(r.text() == "Register checkpoint");
  CHECK(r.record.newest()->step == 2);
}

TEST_CASE("steps that were never reported are an error in the log") {
  Recorded r;
  r.step(1);
  r.record.parked(r.out, Recorded::file("c1.safetensors", 3), {1, 2});
  CHECK(r.text().substr(0, 5) == "error");
}

TEST_CASE("a rollback goes to the newest checkpoint") {
  Recorded r;
  r.step(1);
  r.record.ask_when_due(r.out, 160, 1);
  r.record.written(r.out, 1, Recorded::file("c1.safetensors", 1));
  r.record.show_values(r.out, 1);
  r.step(2);
  r.text();
  r.record.roll_back(r.out, true, 2, "all lost");
  CHECK(r.text() == "rollback");
  CHECK(r.record.recorded() == 1);
  r.record.roll_back(r.out, false, 0, "again");  // nothing to undo
  CHECK(r.text().empty());
}

TEST_CASE("a value is shown once, and not when its step was undone") {
  Recorded r;
  CHECK_FALSE(r.record.may_show_values(100));
  r.record.value({1, "loss", 2.5, 4});
  r.record.value({2, "loss", 2.0, 4});
  CHECK(r.record.may_show_values(100));
  CHECK_FALSE(r.record.may_show_values(100.2));
  r.record.show_values(r.out, 1);
  CHECK(r.text() == "log");
  r.record.forget_values_after(1);
  r.record.show_values(r.out, 2);
  CHECK(r.text().empty());
}

}  // namespace gleaner::generation
