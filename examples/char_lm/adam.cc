// SPDX-License-Identifier: Apache-2.0
#include "adam.hh"

#include <cmath>
#include <utility>

namespace char_lm {

Adam::Slot& Adam::add(std::string name, float* value, float const* gradient,
                      std::size_t n) {
  slots_.push_back({std::move(name), value, gradient, std::vector<float>(n),
                    std::vector<float>(n)});
  return slots_.back();
}

void Adam::update() {
  constexpr float beta1 = 0.9f, beta2 = 0.99f, epsilon = 1e-8f;
  updates_ += 1;
  // Both means start at zero; dividing by these makes up for it.
  auto const scale1 =
      static_cast<float>(1 / (1 - std::pow(double{beta1}, updates_)));
  auto const scale2 =
      static_cast<float>(1 / (1 - std::pow(double{beta2}, updates_)));
  auto const rate = static_cast<float>(learning_rate_);
  for (Slot& slot : slots_) {
    for (std::size_t i = 0; i < slot.mean.size(); ++i) {
      float const g = slot.gradient[i];
      slot.mean[i] = beta1 * slot.mean[i] + (1 - beta1) * g;
      slot.variance[i] = beta2 * slot.variance[i] + (1 - beta2) * g * g;
      slot.value[i] -= rate * slot.mean[i] * scale1 /
                       (std::sqrt(slot.variance[i] * scale2) + epsilon);
    }
  }
}

}  // namespace char_lm
