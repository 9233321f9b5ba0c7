// SPDX-License-Identifier: Apache-2.0
/// That the quick search finds what dynamic programming over everything finds,
/// on knapsacks of every shape.  GLEANER_SEED repeats a run; GLEANER_CASES
/// lengthens it.
#include "alloc/knapsack.hh"

#include "test/unit/alloc/random_knapsacks.hh"
#include "test/unit/alloc/seed.hh"
#include "test/unit/catch.hh"

namespace gleaner {
namespace {

void check(Knapsack const& knapsack) {
  auto const quick = choose(knapsack);
  int units = 0;
  for (std::size_t j = 0; j < quick.size(); ++j) {
    REQUIRE(quick[j] >= 0);
    REQUIRE(quick[j] < knapsack.options(j));
    units += quick[j];
  }
  CHECK(units <= knapsack.capacity());
  CHECK(worth_of(knapsack, quick) ==
        Approx(worth_of(knapsack, choose_dense(knapsack))).epsilon(1e-10));
  CHECK(choose(knapsack) == quick);
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

}  // namespace
}  // namespace gleaner
