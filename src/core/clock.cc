// SPDX-License-Identifier: Apache-2.0
/// The machine's clocks.
#include "core/clock.hh"

#include <chrono>

namespace gleaner {

double SystemClock::wall_s() const {
  using std::chrono::duration;
  return duration<double>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

double SystemClock::monotonic_s() const {
  using std::chrono::duration;
  return duration<double>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace gleaner
