// SPDX-License-Identifier: Apache-2.0
/// That the quick search finds what dynamic programming over everything finds,
/// on knapsacks of every shape.  GLEANER_SEED repeats a run; GLEANER_CASES
/// lengthens it.
#include "alloc/knapsack.hh"

#include <cmath>

#include "test/unit/alloc/random_knapsacks.hh"
#include "test/unit/alloc/seed.hh"
#include "test/unit/catch.hh"

namespace gleaner::alloc {
namespace {

void check(Knapsack const& knapsack) {
  auto const found = choose(knapsack);
  auto const& quick = found.options;
  CHECK(found.bound == found.value);
  CHECK(found.value == worth_of(knapsack, quick));
  int units = 0;
  for (std::size_t j = 0; j < quick.size(); ++j) {
    REQUIRE(quick[j] >= 0);
    REQUIRE(quick[j] < knapsack.options(j));
    units += quick[j];
  }
  CHECK(units <= knapsack.capacity());
  CHECK(worth_of(knapsack, quick) ==
        Approx(worth_of(knapsack, choose_dense(knapsack))).epsilon(1e-10));
  CHECK(choose(knapsack).options == quick);
}

TEST_CASE("the quick search is as good as the dense one, whatever the shape") {
  Seed const seed("knapsack_test");
  INFO("GLEANER_SEED=" << seed.value());
  std::mt19937 random(seed.value());
  auto const cases = from_environment("GLEANER_CASES", 2000);
  for (auto const& shape : knapsack_shapes())
    for (unsigned i = 0; i < cases; ++i) {
      INFO("shape " << shape.name << " case " << i);
      int const classes = pick(random, 1, 12);
      check(shape.make(random, pick(random, 0, 60), classes));
    }
}

TEST_CASE("many classes are chosen as well as few") {
  Seed const seed("knapsack_test");
  INFO("GLEANER_SEED=" << seed.value());
  std::mt19937 random(seed.value());
  auto const cases = from_environment("GLEANER_CASES", 2000) / 100;
  for (auto const& shape : knapsack_shapes())
    for (unsigned i = 0; i < cases; ++i) {
      INFO("shape " << shape.name << " case " << i);
      check(shape.make(random, pick(random, 100, 400), pick(random, 20, 60)));
    }
}

/// The bound holds, the choice fits, and it ends when the steps do.
void check_limited(Knapsack const& knapsack, double steps_max) {
  auto const found = choose(knapsack, steps_max);
  int units = 0;
  for (int const c : found.options) units += c;
  CHECK(units <= knapsack.capacity());
  CHECK(found.steps <= steps_max);
  CHECK(found.value == worth_of(knapsack, found.options));
  auto const best = worth_of(knapsack, choose_dense(knapsack));
  CHECK(found.value <= best + 1e-9 * std::abs(best));
  CHECK(found.bound >= best - 1e-9 * std::abs(best));
  CHECK(choose(knapsack, steps_max).options == found.options);
}

TEST_CASE("however few the steps, the best lies between value and bound") {
  Seed const seed("knapsack_test");
  INFO("GLEANER_SEED=" << seed.value());
  std::mt19937 random(seed.value());
  auto const cases = from_environment("GLEANER_CASES", 2000) / 4;
  for (auto const& shape : knapsack_shapes())
    for (unsigned i = 0; i < cases; ++i) {
      INFO("shape " << shape.name << " case " << i);
      auto const knapsack =
          shape.make(random, pick(random, 0, 80), pick(random, 1, 16));
      for (double const steps_max : {0, 30, 100, 300, 1000, 3000, 10000}) {
        INFO("steps " << steps_max);
        check_limited(knapsack, steps_max);
      }
    }
}

TEST_CASE("with more steps the best is known, and sooner or later proven") {
  Seed const seed("knapsack_test");
  INFO("GLEANER_SEED=" << seed.value());
  std::mt19937 random(seed.value());
  int limited = 0;
  for (auto const& shape : knapsack_shapes()) {
    INFO("shape " << shape.name);
    auto const knapsack = shape.make(random, 300, 40);
    limited += choose(knapsack, 100).bound > choose(knapsack, 100).value;
    auto const found = choose(knapsack, 1e9);
    CHECK(found.bound == found.value);
  }
  CHECK(limited > 0);  // else the cases above would say nothing
}

}  // namespace
}  // namespace gleaner::alloc
