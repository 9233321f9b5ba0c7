// SPDX-License-Identifier: Apache-2.0
/// What is the least a C++ program must do to be malleable?  It does what
/// hello_malleable.c does: fit the line y = 3 x + 2 to 1,000 points.
///
///     gleaner run -- ./hello_malleable_cc
#include <array>
#include <cstdio>
#include <gleaner/gleaner.hpp>

namespace {

constexpr std::uint64_t points = 1000;
constexpr double learning_rate = 0.5;

/// The data: sample i is one point of the line.
double x_of(std::uint64_t i) { return double(i) / points; }
double y_of(std::uint64_t i) { return 3 * x_of(i) + 2; }

void train() {
  // 1. Say how much data there is.  Gleaner deals out the samples.
  gleaner::Training training(
      {.dataset_size = points, .global_batch = 20, .passes = 20});

  // 2. Name the state.  A process that joins later receives it in steps().
  std::array<double, 2> line{};  // slope and offset: all that is learned
  auto const gradient = training.parameter("line", line);

  // 3. Train.  Each step names this member's share of the samples.
  for (auto& step : training.steps()) {
    double loss = 0;
    bool const whole = step.reduce([&] {
      loss = 0;
      for (auto const sample : step.samples()) {
        double const x = x_of(sample);
        double const error = line[0] * x + line[1] - y_of(sample);
        gradient[0] += 2 * error * x / step.global_batch();
        gradient[1] += 2 * error / step.global_batch();
        loss += error * error / double(step.samples().size());
      }
    });
    if (!whole) break;  // this member was released
    for (int k = 0; k < 2; ++k) line[k] -= learning_rate * gradient[k];
    step.log("loss", loss);
  }

  auto const last = training.last_step();
  if (training.finished() && last.rank() == 0)
    std::printf("y = %.2f x + %.2f after %llu steps\n", line[0], line[1],
                static_cast<unsigned long long>(last.number()));
}

}  // namespace

int main() {
  try {
    train();
  } catch (gleaner::Error const& error) {
    std::fprintf(stderr, "hello_malleable: %s\n", error.what());
    return 1;
  }
}
