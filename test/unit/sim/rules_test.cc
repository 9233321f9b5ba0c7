// SPDX-License-Identifier: Apache-2.0
/// What a resize and a loss cost, by either way of counting.
#include "sim/rules.hh"

#include "test/unit/sim/cases.hh"

namespace gleaner::sim {
namespace {

using End = Rules::End;

/// Expanding costs 4 s, shrinking 2 s; a sample per second and node.
Training const a = training("a", 8, 1000);

Trainer on(std::size_t nodes) {
  Trainer trainer;
  trainer.training = &a;
  trainer.nodes.resize(nodes);
  trainer.ready = nodes;
  return trainer;
}

void resize(Rules const& rules, Trainer& trainer, std::size_t nodes) {
  auto const before = trainer.nodes.size();
  trainer.nodes.resize(nodes);
  trainer.ready = std::min(trainer.ready, nodes);
  rules.resized(trainer, before);
}

TEST_CASE("lump: a resize costs its time at the rate before it, once") {
  auto const rules = lump_rules({});
  auto trainer = on(2);
  resize(*rules, trainer, 5);
  auto const first = rules->pass(trainer, 10, End::quiet);
  CHECK(first.made == 10 * 5 - 4 * 2);
  CHECK(first.rescale_cost == 4 * 2);
  CHECK(rules->pass(trainer, 10, End::quiet).made == 10 * 5);
  resize(*rules, trainer, 1);
  CHECK(rules->pass(trainer, 10, End::quiet).made == 10 * 1 - 2 * 5);
}

TEST_CASE("lump: a short interval may cost more than it brings") {
  auto const rules = lump_rules({});
  auto trainer = on(2);
  resize(*rules, trainer, 3);
  CHECK(rules->pass(trainer, 1, End::quiet).made == 3 - 4 * 2);
}

TEST_CASE("lump: a loss costs shrink_s at the rate before it") {
  auto const rules = lump_rules({});
  auto trainer = on(3);
  auto const progress = rules->pass(trainer, 10, End::loss);
  CHECK(progress.made == 10 * 3 - 2 * 3);
  CHECK(progress.preempt_cost == 2 * 3);
  CHECK(progress.rescale_cost == 0);
}

TEST_CASE("lump: beginning is free unless it is charged at the new rate") {
  auto trainer = on(0);
  auto const free = lump_rules({});
  resize(*free, trainer, 3);
  CHECK(free->pass(trainer, 10, End::quiet).made == 30);
  CHECK(free->costs(a).start_s == 0);

  trainer = on(0);
  auto const charged = lump_rules({true});
  resize(*charged, trainer, 3);
  CHECK(charged->pass(trainer, 10, End::quiet).made == 30 - 4 * 3);
  CHECK(charged->costs(a).start_s == 4);
}

// Joiners load for 3 s and start 0.5 s apart; a switch stalls 1 s, a loss 2 s.
PhaseCosts const phases{3, 0.5, 1, 2};

TEST_CASE("phases: training goes on as it was while joiners prepare") {
  auto const rules = phase_rules(phases);
  auto trainer = on(2);
  resize(*rules, trainer, 4);  // 4 s at rate 2, 1 s at 0, then rate 4
  CHECK(rules->pass(trainer, 3, End::quiet).made == 3 * 2);
  CHECK(rules->pass(trainer, 3, End::quiet).made == 1 * 2 + 1 * 4);
  CHECK(rules->pass(trainer, 3, End::quiet).made == 3 * 4);
}

TEST_CASE("phases: what preparing and stalling cost is counted") {
  auto const rules = phase_rules(phases);
  auto trainer = on(2);
  resize(*rules, trainer, 4);
  CHECK(rules->pass(trainer, 10, End::quiet).rescale_cost == 4 * 2 + 1 * 4);
}

TEST_CASE("phases: beginning stalls nobody") {
  auto const rules = phase_rules(phases);
  auto trainer = on(0);
  resize(*rules, trainer, 2);
  CHECK(rules->pass(trainer, 10, End::quiet).made == (10 - 4) * 2);
}

TEST_CASE("phases: leaving by plan only stalls") {
  auto const rules = phase_rules(phases);
  auto trainer = on(4);
  resize(*rules, trainer, 2);
  CHECK(rules->pass(trainer, 10, End::quiet).made == (10 - 1) * 2);
}

TEST_CASE("phases: a loss stalls the survivors afterwards") {
  auto const rules = phase_rules(phases);
  auto trainer = on(4);
  CHECK(rules->pass(trainer, 10, End::loss).made == 10 * 4);
  trainer.drop(0);
  CHECK(rules->pass(trainer, 10, End::quiet).made == (10 - 2) * 3);
}

TEST_CASE("phases: joiners that are not ready make nothing after a loss") {
  auto const rules = phase_rules(phases);
  auto trainer = on(2);
  resize(*rules, trainer, 4);
  rules->pass(trainer, 1, End::loss);  // 3 s of preparing are left
  trainer.drop(0);
  CHECK(rules->pass(trainer, 3, End::quiet).made == (3 - 2) * 1);
  CHECK(rules->pass(trainer, 2, End::quiet).made == (2 - 1) * 3);
}

TEST_CASE("phases: growing again while preparing goes on at the size reached") {
  auto const rules = phase_rules(phases);
  auto trainer = on(2);
  resize(*rules, trainer, 4);
  rules->pass(trainer, 1, End::quiet);
  resize(*rules, trainer, 8);  // 5 s more
  CHECK(rules->pass(trainer, 5, End::quiet).made == 5 * 2);
}

TEST_CASE("phases: the end of the work is foreseen through every phase") {
  auto const rules = phase_rules(phases);
  auto trainer = on(2);
  trainer.done_samples = 1000 - 5;
  resize(*rules, trainer, 4);
  CHECK(rules->finishes_in_s(trainer) == Approx(2.5));
  trainer.done_samples = 1000 - 12;
  CHECK(rules->finishes_in_s(trainer) == Approx(4 + 1 + 1));
  CHECK_FALSE(rules->finishes_in_s(on(0)));
}

}  // namespace
}  // namespace gleaner::sim
