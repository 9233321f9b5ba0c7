// SPDX-License-Identifier: Apache-2.0
/// When is it worth to follow?  One rule a test.
#include "runtime/generation/follow_forecast.hh"

#include "test/unit/catch.hh"

namespace gleaner::generation {

namespace {

/// 2 GB over 1 GB/s: a copy takes 2 s, which is ten steps.
FollowForecast worth_it() {
  FollowForecast forecast;
  forecast.state_bytes = 2'000'000'000;
  forecast.gradient_bytes = 10'000'000;
  forecast.step_s = .2;
  forecast.update_s = .02;
  forecast.bytes_per_s = 1e9;
  forecast.backlog_bytes_max = 1e9;
  return forecast;
}

}  // namespace

TEST_CASE("joiners follow where a copy is long and a step leaves time for it") {
  CHECK(reason_to_copy(worth_it()) == "");
}

TEST_CASE("nothing is predicted before a step was measured") {
  auto forecast = worth_it();
  forecast.step_s = 0;
  CHECK(reason_to_copy(forecast) == "no step was measured yet");
}

TEST_CASE("what is copied within 50 ms is copied") {
  auto forecast = worth_it();
  forecast.state_bytes = 50'000'000;
  CHECK(reason_to_copy(forecast) == "the state is copied in a moment");
  forecast.state_bytes = 50'000'001;
  CHECK(reason_to_copy(forecast) == "");
}

TEST_CASE(
    "a joiner that could not keep up with half of the time does not follow") {
  std::string const too_slow =
      "to follow a step would take more than half a step";
  auto forecast = worth_it();
  forecast.update_s = .0901;  // and 10 ms for the reduction
  CHECK(reason_to_copy(forecast) == too_slow);
  forecast.update_s = .0899;
  CHECK(reason_to_copy(forecast) == "");
  forecast.update_s = .02;
  forecast.gradient_bytes = 80'000'000;
  CHECK(reason_to_copy(forecast) == too_slow);
}

TEST_CASE("each joiner is sent the reductions") {
  auto forecast = worth_it();
  forecast.joiners = 7;
  CHECK(reason_to_copy(forecast) == "");
  forecast.joiners = 8;
  CHECK(reason_to_copy(forecast) ==
        "to follow a step would take more than half a step");
}

TEST_CASE(
    "reductions that wait while the state is sent fit the memory for it") {
  auto forecast = worth_it();
  forecast.backlog_bytes_max = 100'000'000;  // ten steps' reductions
  CHECK(reason_to_copy(forecast) == "");
  forecast.backlog_bytes_max = 99'000'000;
  CHECK(reason_to_copy(forecast) ==
        "too many reductions would wait while the state is sent");
}

}  // namespace gleaner::generation
