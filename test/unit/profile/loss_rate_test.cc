// SPDX-License-Identifier: Apache-2.0
/// Is the rate of losses that of the last days?
#include "profile/loss_rate.hh"

#include <random>

#include "test/unit/alloc/seed.hh"
#include "test/unit/catch.hh"

namespace gleaner::profile {
namespace {

constexpr double assumed = 2e-4;
constexpr double day_s = 86400;

TEST_CASE("before anything was seen the rate is what was assumed") {
  CHECK(LossRate(assumed).per_node_s() == Approx(assumed));
}

TEST_CASE("a quiet hour of a hundred nodes brings the rate down, not to 0") {
  LossRate rate(assumed);
  rate.pass(3600, 100);
  CHECK(rate.per_node_s() < 0.15 * assumed);
  CHECK(rate.per_node_s() > 0);
}

TEST_CASE("one loss in an hour of one node says little") {
  LossRate rate(assumed);
  rate.pass(3600, 1);
  rate.lose(1);
  CHECK(rate.per_node_s() == Approx(assumed).epsilon(0.1));
}

TEST_CASE("an hour without lent nodes changes next to nothing") {
  LossRate rate(assumed);
  rate.pass(600, 200);
  rate.lose(60);
  auto const before = rate.per_node_s();
  rate.pass(3600, 0);
  CHECK(rate.per_node_s() == Approx(before).epsilon(0.02));
}

TEST_CASE("how time is cut into stretches makes no difference") {
  LossRate once(assumed), often(assumed);
  once.pass(day_s, 7);
  for (int i = 0; i < 1000; ++i) often.pass(day_s / 1000, 7);
  CHECK(often.per_node_s() == Approx(once.per_node_s()));
}

/// Draws losses of `nodes` nodes at the true rate, minute by minute.
void live(LossRate* rate, double true_per_node_s, int nodes, double length_s,
          std::mt19937& random) {
  std::poisson_distribution<int> lost(true_per_node_s * nodes * 60);
  for (double s = 0; s < length_s; s += 60) {
    rate->pass(60, nodes);
    rate->lose(lost(random));
  }
}

TEST_CASE("the true rate is found, and found again after it changed") {
  alloc::Seed const seed("loss_rate_test");
  INFO("GLEANER_SEED=" << seed.value());
  std::mt19937 random(seed.value());
  for (double const truth : {2e-5, 2e-4, 2e-3}) {
    LossRate rate(assumed);
    live(&rate, truth, 100, day_s, random);
    CHECK(rate.per_node_s() == Approx(truth).epsilon(0.3));
    live(&rate, 5 * truth, 100, 4 * day_s, random);
    CHECK(rate.per_node_s() == Approx(5 * truth).epsilon(0.3));
  }
}

}  // namespace
}  // namespace gleaner::profile
