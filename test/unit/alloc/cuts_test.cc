// SPDX-License-Identifier: Apache-2.0
/// Does what long curves leave out change a plan?  GLEANER_SEED repeats a run.
#include <algorithm>
#include <cmath>
#include <random>

#include "alloc/knapsack.hh"
#include "alloc/speed_outline.hh"
#include "alloc/worth.hh"
#include "test/unit/alloc/cases.hh"
#include "test/unit/alloc/seed.hh"

namespace gleaner::alloc {
namespace {

/// Shapes of curves; what is steep, level or jumps far out is what a look at
/// small sizes alone would miss.
constexpr int shapes = 7;

class LongCurves {
 public:
  explicit LongCurves(unsigned seed) : random_(seed) {}

  std::vector<double> curve(int nodes_max) {
    int const shape = pick(0, shapes - 1);
    double const power = real(0.5, 1), rate = real(1, 10);
    int const far = pick(1, nodes_max), step = pick(2, 200);
    std::vector<double> speed{0};
    for (int k = 1; k <= nodes_max; ++k) {
      double const smooth = rate * std::pow(k, power);
      switch (shape) {
        case 0:
          speed.push_back(smooth);
          break;
        case 1:
          speed.push_back(real(0, 100));
          break;
        case 2:
          speed.push_back(rate * (1 + k / step));
          break;
        case 3:
          speed.push_back(k < far ? rate : smooth * real(1, 2));
          break;
        case 4:
          speed.push_back(k <= far ? smooth : rate);
          break;
        case 5:
          speed.push_back(rate);
          break;
        default:
          speed.push_back(smooth * real(0.95, 1.05));
      }
    }
    return speed;
  }

  Problem problem() {
    int const nodes = pick(300, 900), trainers = pick(1, 12);
    Problem problem;
    problem.nodes = alloc::nodes(nodes);
    problem.forward_looking_s = pick(1, 3) * 100;
    NodeIndex next = 0;
    for (int i = 0; i < trainers; ++i) {
      auto t = trainer("t" + std::to_string(i), pick(1, 9) == 1 ? 90 : 1, 1);
      t.nodes_max = pick(0, 2) > 0 ? nodes : std::max(t.nodes_min, 150);
      t.speed = curve(t.nodes_max);
      t.expand_s = real(0, 5), t.shrink_s = real(0, 5), t.start_s = real(0, 20);
      if (pick(0, 4) == 0) t.deadline_s = 1000, t.work_left = real(1, 1e6);
      auto const held = pick(0, nodes / trainers);
      if (held >= t.nodes_min && held <= t.nodes_max)
        for (int k = 0; k < held; ++k) t.nodes.push_back(next++);
      if (pick(0, 1) == 1) t.outline = outline_of(t.speed);
      problem.trainers.push_back(std::move(t));
    }
    return problem;
  }

 private:
  int pick(int least, int most) {
    return std::uniform_int_distribution<>(least, most)(random_);
  }
  double real(double least, double most) {
    return std::uniform_real_distribution<>(least, most)(random_);
  }

  std::mt19937 random_;
};

/// What the best counts are worth if every size of every trainer is looked at.
double best_of_all(Problem const& problem, Extras const& extras) {
  Knapsack all(static_cast<int>(problem.nodes.size()));
  Worth const worth(problem, extras);
  for (auto const& trainer : problem.trainers) {
    auto* const list = all.add_class(trainer.nodes_max + 1);
    worth.list(trainer, trainer.nodes_max, list);
    std::fill(list + 1, list + trainer.nodes_min, not_an_option);
  }
  return choose(all).value;
}

}  // namespace

TEST_CASE("an outline is nowhere below its curve") {
  LongCurves curves(Seed("outline").value());
  for (int i = 0; i < 50; ++i) {
    auto const speed = curves.curve(1 + i * 40);
    SpeedOutline const outline(speed);
    int next = 1;
    for (auto const& stretch : outline.stretches()) {
      CHECK(stretch.first == next);
      for (int k = stretch.first; k <= stretch.last; ++k)
        CHECK(stretch.intercept + stretch.slope * k >=
              speed[std::size_t(k)] * (1 - 1e-12));
      next = stretch.last + 1;
    }
    CHECK(next == static_cast<int>(speed.size()));
  }
}

TEST_CASE("sizes that are left out would change no plan") {
  auto const first = Seed("cuts").value();
  for (unsigned i = 0; i < 60; ++i) {
    CAPTURE(first, i);
    auto const problem = LongCurves(first + i).problem();
    for (std::string policy : {"exact", "gleaner"}) {
      auto const extras = policy == "exact" ? Extras::none() : Extras{};
      AllocatorOptions options;
      options.policy = policy;
      options.steps_max = unlimited_steps;
      auto const allocator = make_allocator(options);
      auto const decision = (*allocator)->allocate(problem, {});
      REQUIRE(decision);
      double const best = best_of_all(problem, extras);
      CHECK(predicted_gain(problem, decision->plan, extras) >=
            best - 1e-6 * std::abs(best));
    }
  }
}

TEST_CASE("a plan is the same whether its outlines are told or made") {
  auto const first = Seed("told outlines").value();
  for (unsigned i = 0; i < 20; ++i) {
    CAPTURE(first, i);
    auto problem = LongCurves(first + i).problem();
    auto const plan = solve("gleaner", problem);
    for (auto& trainer : problem.trainers) trainer.outline.reset();
    CHECK(solve("gleaner", problem) == plan);
  }
}

}  // namespace gleaner::alloc
