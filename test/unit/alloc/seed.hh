// SPDX-License-Identifier: Apache-2.0
/// How random tests are repeated: GLEANER_SEED, and made longer: GLEANER_CASES.
#pragma once

#include <cstdlib>
#include <iostream>
#include <random>

namespace gleaner::alloc {

inline unsigned from_environment(char const* name, unsigned fallback) {
  char const* text = std::getenv(name);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10))
              : fallback;
}

/// The seed of a test, which it prints.
class Seed {
 public:
  explicit Seed(char const* test)
      : value_(from_environment("GLEANER_SEED", std::random_device{}())) {
    std::cout << test << ": GLEANER_SEED=" << value_ << '\n';
  }
  unsigned value() const { return value_; }

 private:
  unsigned value_;
};

inline int pick(std::mt19937& random, int least, int most) {
  return std::uniform_int_distribution<>(least, most)(random);
}

}  // namespace gleaner::alloc
