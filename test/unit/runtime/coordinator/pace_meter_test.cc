// SPDX-License-Identifier: Apache-2.0
/// What is measured of a generation, and when.
#include "runtime/coordinator/pace_meter.hh"

#include "test/unit/catch.hh"

namespace gleaner::coordinator {
namespace {

using generation::membership::Record;

std::vector<std::string> const argv = {"python3", "train.py", "--lr=0.1"};

Record generation(msg::Generation number, int nodes,
                  std::vector<msg::MemberId> const& members, msg::Step first) {
  return {"generation",
          {{"generation", number},
           {"to", nodes},
           {"members", members},
           {"step", first}}};
}

Record step(msg::Generation generation, msg::Step number, double duration_s) {
  return {"step",
          {{"generation", generation},
           {"step", number},
           {"duration_s", duration_s}}};
}

msg::Alive alive(msg::Step at, std::uint64_t steps, double computed_s,
                 double waited_s) {
  msg::Alive message;
  message.step = at;
  message.steps = steps;
  message.computed_s = computed_s;
  message.waited_s = waited_s;
  return message;
}

msg::Loaded loaded() {
  msg::Loaded message;
  message.shapes = "0123456789abcdef0123";
  message.global_batch = 256;
  message.gradient_bytes = 4096;
  return message;
}

/// Generation 2 from step 11 on: members 5 and 7, on a node each.  Steps take
/// 1 s; member 5 computes 0.6 s of it, member 7 0.9 s.
PaceMeter warm_meter() {
  PaceMeter meter(argv);
  meter.take(5, loaded());
  meter.take(generation(2, 2, {5, 7}, 11));
  for (msg::Step at = 11; at < 11 + PaceMeter::cold_steps; ++at)
    meter.take(step(2, at, 30));
  for (msg::Step at = 15; at <= 30; ++at) meter.take(step(2, at, 1));
  meter.take(5, alive(20, 9, 100, 50));
  meter.take(7, alive(20, 9, 700, 1));
  meter.take(5, alive(30, 19, 106, 54));
  meter.take(7, alive(30, 19, 709, 2));
  return meter;
}

TEST_CASE("a step's time is split into computing and waiting") {
  auto const pace = warm_meter().pace();
  REQUIRE(pace);
  CHECK(pace->generation == 2);
  CHECK(pace->nodes == 2);
  CHECK(pace->members == 2);
  CHECK(pace->steps == 16);
  CHECK(pace->step_s == 1);
  CHECK(pace->compute_s == Approx(0.75));
  CHECK(pace->compute_max_s == Approx(0.9));
  CHECK(pace->exposed_s == Approx(0.1));
  CHECK(pace->global_batch == 256);
  CHECK(pace->gradient_bytes == 4096);
}

TEST_CASE("the first steps of a generation do not count") {
  PaceMeter meter(argv);
  meter.take(5, loaded());
  meter.take(generation(1, 1, {5}, 1));
  for (msg::Step at = 1; at <= 4; ++at) meter.take(step(1, at, 9));
  meter.take(5, alive(6, 5, 45, 0));
  meter.take(5, alive(7, 6, 46, 0));
  CHECK_FALSE(meter.pace());
  for (msg::Step at = 5; at <= 7; ++at) meter.take(step(1, at, 1));
  REQUIRE(meter.pace());
  CHECK(meter.pace()->step_s == 1);
}

TEST_CASE("at a change of members all is forgotten") {
  auto meter = warm_meter();
  meter.take(generation(3, 1, {5}, 31));
  CHECK_FALSE(meter.pace());
  meter.take(step(2, 30, 1));  // told late
  CHECK_FALSE(meter.pace());
}

TEST_CASE("a parked training has no pace") {
  auto meter = warm_meter();
  meter.take(generation(2, 0, {}, 31));
  CHECK_FALSE(meter.pace());
}

TEST_CASE("nothing is said while a member has said nothing") {
  PaceMeter meter(argv);
  meter.take(5, loaded());
  meter.take(generation(1, 2, {5, 7}, 1));
  for (msg::Step at = 1; at <= 20; ++at) meter.take(step(1, at, 1));
  meter.take(5, alive(10, 9, 9, 0));
  meter.take(5, alive(20, 19, 19, 0));
  CHECK_FALSE(meter.pace());
}

TEST_CASE("a training that becomes slower is seen to be slower") {
  auto meter = warm_meter();
  for (msg::Step at = 31; at <= 600; ++at) meter.take(step(2, at, 3));
  for (std::uint64_t done = 160; done <= 600; done += 130) {
    auto const more = double(done) - 19;
    meter.take(5, alive(msg::Step(done) + 1, done, 106 + 2 * more, 54));
    meter.take(7, alive(msg::Step(done) + 1, done, 709 + 3 * more, 2));
  }
  auto const pace = meter.pace();
  REQUIRE(pace);
  CHECK(pace->step_s == 3);
  CHECK(pace->compute_max_s == Approx(3));
}

TEST_CASE("trials of a search have one family") {
  CHECK(warm_meter().pace()->family ==
        "python3 train.py, shapes 0123456789abcdef, batch 256");
  struct Case {
    std::vector<std::string> argv;
    char const* program;
  };
  for (auto const& one : std::vector<Case>{
           {{"./train", "0.1"}, "train"},
           {{"/opt/python3.11", "-u", "/home/a/nas.py", "17"},
            "python3.11 nas.py"},
           {{"python3", "-m", "nas"}, "python3"},
           {{}, ""},
       })
    CHECK(program_of(one.argv) == one.program);
}

}  // namespace
}  // namespace gleaner::coordinator
