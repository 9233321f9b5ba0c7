// SPDX-License-Identifier: Apache-2.0
/// gleaner.hpp: what the C++ face adds to gleaner.h.
#include <array>
#include <cmath>
#include <cstddef>
#include <gleaner/gleaner.hpp>
#include <numeric>
#include <set>

#include "test/unit/catch.hh"

namespace gleaner::member {

namespace {

using Catch::Contains;

gleaner::Options ten_samples() {
  return {.dataset_size = 10, .global_batch = 4};
}

TEST_CASE("wrong options throw with the library's words and code") {
  try {
    gleaner::Training training({.dataset_size = 10});
    FAIL("opened");
  } catch (gleaner::Error const& error) {
    CHECK(error.code() == GLEANER_EINVAL);
    CHECK_THAT(error.what(), Contains("global_batch is 0"));
  }
}

TEST_CASE("the range visits every step, and every sample once") {
  gleaner::Training training(ten_samples());
  std::array<float, 2> weight{};
  auto const gradient = training.parameter("w", weight);
  std::multiset<std::uint64_t> seen;
  std::vector<std::uint64_t> numbers;
  for (auto& step : training.steps()) {
    step.reduce([&] {
      for (auto sample : step.samples()) {
        seen.insert(sample);
        gradient[1] += 1.0f / float(step.global_batch());
      }
    });
    CHECK(gradient[0] == 0);
    CHECK(gradient[1] == Approx(1));
    step.log("loss", 1);
    numbers.push_back(step.number());
  }
  CHECK(training.finished());
  CHECK(numbers == std::vector<std::uint64_t>{1, 2, 3});
  CHECK(seen == std::multiset<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("a share comes in parts: given, or found when memory is missing") {
  auto const given = GENERATE(0, 3);
  auto options = ten_samples();
  options.global_batch = 8;
  options.micro_batch_max = std::uint64_t(given);
  gleaner::Training training(options);
  std::array<double, 1> weight{};
  auto const gradient = training.parameter("w", weight);
  std::vector<std::size_t> sizes;
  std::vector<double> sums;
  for (auto& step : training.steps()) {
    CHECK(step.reduce([&] {
      sizes.push_back(step.samples().size());
      for (auto const sample : step.samples())
        gradient[0] += double(sample) / step.global_batch();
      if (sizes.back() > 3) throw std::bad_alloc();
    }));
    sums.push_back(gradient[0] * step.global_batch());
  }
  if (given)
    CHECK(sizes == std::vector<std::size_t>{2, 3, 3, 2});
  else
    CHECK(sizes == std::vector<std::size_t>{8, 4, 2, 2, 2, 2, 2});
  CHECK(std::accumulate(sums.begin(), sums.end(), 0.0) == Approx(45));
}

TEST_CASE("memory that is missing for one sample is the program's to miss") {
  gleaner::Training training(ten_samples());
  std::array<double, 1> weight{};
  training.parameter("w", weight);
  auto const train = [&] {
    for (auto& step : training.steps())
      step.reduce([] { throw std::bad_alloc(); });
  };
  CHECK_THROWS_AS(train(), std::bad_alloc);
}

TEST_CASE(
    "a step is computed again within a step only, in parts of one or more") {
  gleaner_options options = GLEANER_OPTIONS_INIT;
  options.dataset_size = 10;
  options.global_batch = 4;
  gleaner_training* g = nullptr;
  REQUIRE(gleaner_open(&options, &g) == GLEANER_OK);
  CHECK(gleaner_again(g, 2) == GLEANER_ESTATE);
  REQUIRE(gleaner_start(g) == GLEANER_OK);
  gleaner_step_info step;
  REQUIRE(gleaner_step(g, &step) == GLEANER_STEP);
  CHECK(gleaner_again(g, 0) == GLEANER_EINVAL);
  CHECK_THAT(gleaner_error(g), Contains("micro_batch_max 0"));
  gleaner_log(g, "loss", 1, 4);
  CHECK(gleaner_again(g, 3) == GLEANER_MORE);
  REQUIRE(gleaner_step_now(g, &step) == GLEANER_OK);
  CHECK(step.n_samples == 2);
  CHECK(gleaner_reduce(g) == GLEANER_MORE);
  CHECK(gleaner_reduce(g) == GLEANER_OK);
  CHECK(gleaner_again(g, 1) == GLEANER_ESTATE);
  gleaner_close(g);
}

TEST_CASE("the program ends its training after a step that it has reduced") {
  gleaner::Training training(ten_samples());
  std::array<double, 1> weight{};
  training.parameter("w", weight);
  std::uint64_t last = 0;
  for (auto& step : training.steps()) {
    if (step.number() == 1) CHECK_THROWS_WITH(step.stop(), Contains("outside"));
    step.reduce([] {});
    last = step.number();
    if (last == 2) step.stop();
  }
  CHECK(last == 2);
  CHECK(training.finished());
}

TEST_CASE("a program with the options of version 0.1.0 has no limit") {
  gleaner_options options = GLEANER_OPTIONS_INIT;
  options.struct_size = offsetof(gleaner_options, micro_batch_max);
  options.dataset_size = 10;
  options.global_batch = 4;
  options.micro_batch_max = 1;  // not its: what lies behind
  gleaner_training* g = nullptr;
  REQUIRE(gleaner_open(&options, &g) == GLEANER_OK);
  REQUIRE(gleaner_start(g) == GLEANER_OK);
  gleaner_step_info step;
  REQUIRE(gleaner_step(g, &step) == GLEANER_STEP);
  CHECK(step.n_samples == 4);
  gleaner_close(g);
  for (auto const size : {std::size_t{8}, sizeof options + 8}) {
    options.struct_size = size;
    CHECK(gleaner_open(&options, &g) == GLEANER_EINVAL);
  }
}

TEST_CASE("a body that does not reduce is an error in the next step") {
  gleaner::Training training(ten_samples());
  std::vector<float> weight(3);
  training.parameter("w", weight);
  auto const forgetful = [&] {
    for ([[maybe_unused]] auto& step : training.steps()) {
    }
  };
  CHECK_THROWS_WITH(forgetful(), Contains("before gleaner_reduce()"));
}

TEST_CASE("a shape must have as many values as the memory") {
  gleaner::Training training(ten_samples());
  std::vector<double> weight(6);
  CHECK(training.parameter("w", weight, {2, 3}).size() == 6);
  CHECK_THROWS_WITH(training.buffer("b", weight, {2, 2}),
                    Contains("'b' has 6 values, but its shape has 4"));
  CHECK_THROWS_WITH(training.buffer("w", weight), Contains("name is taken"));
}

TEST_CASE("spans, bytes and integers are memory too") {
  gleaner::Training training(ten_samples());
  std::vector<float> weight(8);
  std::array<std::uint8_t, 3> bytes{};
  std::int64_t count = 0;
  CHECK(training.parameter("w", std::span(weight).subspan(2)).size() == 6);
  training.buffer("bytes", bytes);
  training.optimizer("count", std::span(&count, 1));
}

TEST_CASE("apply() runs the update, and what it throws comes out of it") {
  gleaner::Training training(ten_samples());
  std::vector<float> weight(1);
  training.parameter("w", weight);
  int updates = 0;
  training.on_update([&] {
    if (++updates == 2) throw std::domain_error("mine");
  });
  auto const train = [&] {
    for (auto& step : training.steps()) {
      step.reduce([] {});
      step.apply();
    }
  };
  CHECK_THROWS_AS(train(), std::domain_error);
  CHECK(updates == 2);
}

TEST_CASE("a member is busy for as long as the object lives") {
  gleaner::Training training(ten_samples());
  { auto const busy = training.busy("loading", 100); }
  CHECK_THROWS_WITH(training.busy("loading", -1),
                    Contains("limit_s is -1") && Contains("'loading'"));
}

TEST_CASE("a training says how much it matters, from 0.1 to 10") {
  gleaner::Training training(ten_samples());
  training.set_weight(0.1);
  training.set_weight(10);
  CHECK_THROWS_WITH(training.set_weight(11),
                    Contains("gleaner_set_weight(11): expected 0.1 to 10"));
  CHECK_THROWS_AS(training.set_weight(std::nan("")), gleaner::Error);
}

TEST_CASE("a program that loads ahead learns its next samples") {
  gleaner::Training training(ten_samples());
  std::vector<float> weight(1);
  training.parameter("w", weight);
  training.loads_ahead(2, [] {});
  std::optional<std::vector<std::uint64_t>> foretold;
  for (auto& step : training.steps()) {
    if (step.number() > 1) {
      auto const samples = step.samples();
      REQUIRE(foretold);
      CHECK(*foretold ==
            std::vector<std::uint64_t>(samples.begin(), samples.end()));
    }
    foretold = training.samples_ahead(1);
    step.reduce([] {});
  }
  CHECK_FALSE(foretold);
  CHECK_THROWS_WITH(training.loads_ahead(1), Contains("after gleaner_start"));
}

TEST_CASE("a training can be moved while it runs") {
  gleaner::Training first(ten_samples());
  std::vector<float> weight(1);
  first.parameter("w", weight);
  first.blob(
      "b", [] { return "saved"; }, [](std::string_view) {});
  int updates = 0;
  first.on_update([&] { ++updates; });
  gleaner::Training training = std::move(first);
  for (auto& step : training.steps()) {
    step.reduce([] {});
    step.apply();
  }
  CHECK(updates == 3);
}

TEST_CASE(
    "the samples of coming steps are foretold to a member that is alone") {
  gleaner_options options = GLEANER_OPTIONS_INIT;
  options.dataset_size = 10;
  options.global_batch = 4;
  options.passes = 2;
  gleaner_training* g = nullptr;
  REQUIRE(gleaner_open(&options, &g) == GLEANER_OK);
  REQUIRE(gleaner_start(g) == GLEANER_OK);
  std::vector<std::vector<std::uint64_t>> foretold, given;
  gleaner_step_info step{};
  while (gleaner_step(g, &step) == GLEANER_STEP) {
    given.emplace_back(step.samples, step.samples + step.n_samples);
    std::uint64_t samples[4];
    std::size_t n = 0;
    for (std::uint32_t ahead = 1; given.size() == 1; ++ahead) {
      auto const code = gleaner_samples_ahead(g, ahead, samples, 4, &n);
      if (code == GLEANER_DONE) break;
      REQUIRE(code == GLEANER_OK);
      foretold.emplace_back(samples, samples + n);
    }
    CHECK(gleaner_samples_ahead(g, 0, samples, 4, &n) == GLEANER_ESTATE);
    REQUIRE(gleaner_reduce(g) == GLEANER_OK);
  }
  CHECK(given.size() == 6);
  given.erase(given.begin());
  CHECK(foretold == given);
  gleaner_close(g);
}

}  // namespace

}  // namespace gleaner::member
