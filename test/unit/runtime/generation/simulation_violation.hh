// SPDX-License-Identifier: Apache-2.0
/// What is thrown when an invariant does not hold in a simulated history?
#pragma once

#include <stdexcept>

namespace gleaner::generation::simulation {

struct Violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace gleaner::generation::simulation
