// SPDX-License-Identifier: Apache-2.0
/// Does the protocol keep its invariants in every history?  And would this
/// test notice if it did not?
///
/// GLEANER_MODEL_RUNS=n runs n histories; GLEANER_MODEL_SEED=s only that one,
/// telling it on standard error.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "simulation.hh"

namespace {

using gleaner::simulation::Counts;
using gleaner::simulation::Mutant;
using gleaner::simulation::Violation;
using gleaner::simulation::World;

std::uint64_t number_from(char const* variable, std::uint64_t otherwise) {
  char const* text = std::getenv(variable);
  return text ? std::stoull(text) : otherwise;
}

/// The first seed below `seeds` whose history breaks an invariant.
std::optional<std::string> first_violation(std::uint64_t seeds, Mutant mutant,
                                           Counts* counts = nullptr) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    World world(seed, mutant);
    try {
      world.run();
    } catch (Violation const& violation) {
      return "seed " + std::to_string(seed) + ": " + violation.what();
    }
    if (counts) counts->add(world.counts());
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("every history keeps the invariants and ends") {
  if (auto const seed = number_from("GLEANER_MODEL_SEED", 0)) {
    World world(seed, Mutant::none);
    world.trace();
    CHECK_NOTHROW(world.run());
    return;
  }
  Counts counts;
  auto const violation = first_violation(
      number_from("GLEANER_MODEL_RUNS", 5000), Mutant::none, &counts);
  INFO(violation.value_or(""));
  CHECK_FALSE(violation);
  WARN(counts.text());
  // Without these, the histories would prove little.
  CHECK(counts.kills > counts.histories / 2);
  CHECK(counts.switches > counts.histories / 2);
  CHECK(counts.takeovers > 0);
  CHECK(counts.parks > 0);
  CHECK(counts.rollbacks > 0);
  CHECK(counts.withdrawals > 0);
}

TEST_CASE("a defect around the protocol is noticed") {
  auto const mutant = GENERATE(Mutant::early_stable, Mutant::hasty_leaver,
                               Mutant::joiner_as_source, Mutant::mixed_buckets,
                               Mutant::early_reuse, Mutant::torn_takeover,
                               Mutant::forgetful_rank_0);
  auto const violation = first_violation(5000, mutant);
  INFO("mutant " << static_cast<int>(mutant));
  CHECK(violation);
}
