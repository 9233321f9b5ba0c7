// SPDX-License-Identifier: Apache-2.0
/// The machine's clocks.
#include "core/clock.hh"

#include <chrono>
#include <ctime>

namespace gleaner {

double thread_cpu_s() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) +
         static_cast<double>(used.tv_nsec) / 1e9;
}

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
