// SPDX-License-Identifier: Apache-2.0
/// What time it is, behind an interface so that tests own the time.
#pragma once

namespace gleaner {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual double wall_s() const = 0;       ///< seconds since the epoch
  virtual double monotonic_s() const = 0;  ///< for intervals; never goes back
};

/// For how long the calling thread has used a processor so far.
double thread_cpu_s();

/// The machine's clocks.
class SystemClock final : public Clock {
 public:
  double wall_s() const override;
  double monotonic_s() const override;
};

}  // namespace gleaner
