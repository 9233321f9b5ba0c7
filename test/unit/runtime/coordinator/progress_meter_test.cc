// SPDX-License-Identifier: Apache-2.0
/// What `gleaner status` is told of a training's progress.
#include "runtime/coordinator/progress_meter.hh"

#include <cmath>

#include "test/unit/catch.hh"

namespace gleaner::coordinator {
namespace {

using generation::membership::Record;

Record step(std::uint64_t samples_seen) {
  return {"step", {{"samples_seen", samples_seen}}};
}

generation::membership::Summary running() {
  generation::membership::Summary summary;
  summary.state = generation::membership::State::running;
  summary.generation = 4;
  summary.members = {5, 7, 9};
  summary.nodes = {"n1", "n3"};
  summary.step = 120;
  summary.samples_seen = 3840;
  return summary;
}

/// Samples/s that are told at 100 s, after these steps: {time_s, samples}.
double speed_after(
    std::initializer_list<std::pair<double, std::uint64_t>> steps,
    double now = 100) {
  ProgressMeter meter;
  for (auto const& [time_s, samples] : steps) meter.take(time_s, step(samples));
  return meter.report(now, running()).samples_per_s;
}

TEST_CASE("where a training is comes from its membership") {
  auto const told = ProgressMeter().report(100, running());
  CHECK(told.generation == 4);
  CHECK(told.members == 3);
  CHECK(told.nodes == std::vector<std::string>{"n1", "n3"});
  CHECK(told.step == 120);
  CHECK(told.samples == 3840);
}

TEST_CASE("the state of a training is said in a word") {
  struct Row {
    generation::membership::State state;
    bool parked;
    char const* word;
  };
  for (auto const& [state, parked, word] : {
           Row{generation::membership::State::waiting, false, "waiting"},
           Row{generation::membership::State::waiting, true, "parked"},
           Row{generation::membership::State::running, false, "running"},
           Row{generation::membership::State::recovering, false, "running"},
           Row{generation::membership::State::finished, false, "finished"},
       }) {
    auto summary = running();
    summary.state = state;
    summary.parked = parked;
    CHECK(ProgressMeter().report(100, summary).state == word);
  }
}

TEST_CASE("the speed is that of the last seconds") {
  CHECK(speed_after({{98, 1000}, {99, 1010}, {100, 1030}}) == 15);
  // Before that it was ten times as fast.
  CHECK(speed_after({{90, 0}, {96, 1500}, {97.5, 1520}, {100, 1560}}) == 15);
}

TEST_CASE("steps longer than that are told from one to the next") {
  CHECK(speed_after({{80, 1000}, {90, 1100}, {100, 1250}}) == 15);
}

TEST_CASE("one step says nothing of the speed") {
  CHECK(speed_after({}) == 0);
  CHECK(speed_after({{100, 1000}}) == 0);
  CHECK(speed_after({{100, 1000}, {100, 1010}}) == 0);
}

TEST_CASE("a training that has made no step for seconds has no speed") {
  CHECK(speed_after({{95, 1000}, {96, 1015}}, 98) == 15);
  CHECK(speed_after({{95, 1000}, {96, 1015}}, 99.5) == 0);
}

TEST_CASE(
    "after a rollback or a change of members the speed is not known yet") {
  auto const* const event = GENERATE("rollback", "generation");
  ProgressMeter meter;
  meter.take(98, step(1000));
  meter.take(99, step(1015));
  meter.take(99, {event, {{"generation", 5}}});
  CHECK(meter.report(100, running()).samples_per_s == 0);
  meter.take(100, step(1000));
  CHECK(meter.report(100, running()).samples_per_s == 0);
  meter.take(101, step(1030));
  CHECK(meter.report(101, running()).samples_per_s == 30);
}

TEST_CASE("the last logged loss is told, and no other value") {
  ProgressMeter meter;
  CHECK(std::isnan(meter.report(100, running()).loss));
  meter.take(100, {"log", {{"key", "loss"}, {"value", 2.5}}});
  meter.take(100, {"log", {{"key", "accuracy"}, {"value", 0.5}}});
  CHECK(meter.report(100, running()).loss == 2.5);
  meter.take(101, {"generation", {{"generation", 5}}});
  CHECK(meter.report(101, running()).loss == 2.5);
}

}  // namespace
}  // namespace gleaner::coordinator
