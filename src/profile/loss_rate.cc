// SPDX-License-Identifier: Apache-2.0
#include "profile/loss_rate.hh"

#include <cmath>

#include "core/contract.hh"

namespace gleaner::profile {
namespace {

constexpr double assumed_losses = 10;
constexpr double half_life_s = 86400;

}  // namespace

LossRate::LossRate(double assumed_per_node_s)
    : assumed_node_s_(assumed_losses / assumed_per_node_s) {
  EXPECT(assumed_per_node_s > 0, assumed_per_node_s);
}

void LossRate::pass(double length_s, double nodes) {
  EXPECT(length_s >= 0 && nodes >= 0, length_s, nodes);
  double const kept = std::exp2(-length_s / half_life_s);
  losses_ *= kept;
  // Node time of this stretch fades with its age, too: the integral over it.
  double const faded_s = (1 - kept) * half_life_s / std::log(2);
  lent_node_s_ = lent_node_s_ * kept + nodes * faded_s;
}

void LossRate::lose(int trainings) {
  EXPECT(trainings >= 0, trainings);
  losses_ += trainings;
}

double LossRate::per_node_s() const {
  return (assumed_losses + losses_) / (assumed_node_s_ + lent_node_s_);
}

}  // namespace gleaner::profile
