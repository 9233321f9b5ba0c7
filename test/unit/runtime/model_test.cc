// SPDX-License-Identifier: Apache-2.0
/// Does the protocol keep its invariants in every history?  And would this
/// test notice if it did not?
///
/// GLEANER_MODEL_RUNS=n runs n histories; GLEANER_MODEL_SEED=s only that one,
/// telling it on standard error.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <optional>
#include <string>

#include "simulation.hh"

namespace {

using gleaner::simulation::Counts;
using gleaner::simulation::Faults;
using gleaner::simulation::Mutant;
using gleaner::simulation::Violation;
using gleaner::simulation::World;

std::uint64_t number_from(char const* variable, std::uint64_t otherwise) {
  char const* text = std::getenv(variable);
  return text ? std::stoull(text) : otherwise;
}

/// The first seed below `seeds` whose history breaks an invariant.
std::optional<std::string> first_violation(std::uint64_t seeds, Faults faults,
                                           Mutant mutant, Counts& counts) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    World world(seed, faults, mutant);
    try {
      world.run();
    } catch (Violation const& violation) {
      return "seed " + std::to_string(seed) + ": " + violation.what();
    }
    counts.add(world.counts());
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("every history keeps the invariants and ends") {
  if (auto const seed = number_from("GLEANER_MODEL_SEED", 0)) {
    World world(seed, Faults::all);
    world.trace();
    CHECK_NOTHROW(world.run());
    return;
  }
  Counts counts;
  auto const violation =
      first_violation(number_from("GLEANER_MODEL_RUNS", 5000), Faults::all,
                      Mutant::none, counts);
  INFO(violation.value_or(""));
  CHECK_FALSE(violation);
  WARN(counts.text());
  // Without these, the histories would prove little.
  CHECK(counts.kills > counts.histories / 2);
  CHECK(counts.switches > counts.histories / 4);
  CHECK(counts.takeovers > 0);
  CHECK(counts.parks > 0);
  CHECK(counts.rollbacks > 0);
  CHECK(counts.withdrawals > 0);
}

TEST_CASE("planned changes lose nothing") {
  Counts counts;
  auto const violation =
      first_violation(1000, Faults::none, Mutant::none, counts);
  INFO(violation.value_or(""));
  CHECK_FALSE(violation);
  INFO(counts.text());
  CHECK(counts.switches > 400);
  CHECK(counts.parks > 0);
  CHECK(counts.recoveries == 0);
  CHECK(counts.rollbacks == 0);
  CHECK(counts.short_steps == 0);
  CHECK(counts.redone == 0);
}

TEST_CASE("a defect around the protocol is noticed") {
  auto const mutant = GENERATE(Mutant::early_stable, Mutant::hasty_leaver,
                               Mutant::joiner_as_source, Mutant::mixed_buckets,
                               Mutant::early_reuse, Mutant::torn_takeover,
                               Mutant::forgetful_rank_0);
  Counts counts;
  auto const violation = first_violation(5000, Faults::all, mutant, counts);
  INFO("mutant " << static_cast<int>(mutant));
  CHECK(violation);
}
