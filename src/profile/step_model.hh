// SPDX-License-Identifier: Apache-2.0
/// How long does a step take at m members, by the formula?
///
/// With c = ⌈B/m⌉/B the part of the batch of the member that has most of it
/// (1/m where B is not known):
///
///     step     = compute + elsewhere + exposed
///     compute  = work · c + fixed
///     exposed  = hop · log2 m + volume · 2(m−1)/m + crowd · (m−1)
///                + wait · work · c · log2 m
///
/// The first three of `exposed` are latency, bytes and contention of a sum; the
/// last is what grows with the compute itself: members that wait for the
/// slowest, and programs that sum once for each part of their batch.
#pragma once

#include <array>
#include <cstdint>

namespace gleaner::profile {

/// Logarithms, so that no part can be negative.  All but the first are relative
/// to `work`, so that trainings of all sizes can share a prior.
enum Parameter : std::size_t {
  work,       ///< compute of a whole batch on one member, s
  fixed,      ///< in the program, however small the share
  elsewhere,  ///< outside: the update, the library
  hop,
  volume,
  crowd,
  wait,
  parameters
};
using Vector = std::array<double, parameters>;

/// The parts of a step, and how each changes with each parameter.
struct StepParts {
  double compute_s = 0;
  double elsewhere_s = 0;
  double exposed_s = 0;
  Vector compute_slope{};
  Vector elsewhere_slope{};
  Vector exposed_slope{};

  double step_s() const { return compute_s + elsewhere_s + exposed_s; }
};

class StepModel {
 public:
  /// global_batch 0: not known, so no staircase.
  explicit StepModel(std::uint64_t global_batch) : batch_(global_batch) {}

  /// `values` are exp() of the parameters; slopes are by the parameters.
  StepParts parts(Vector const& values, int members) const;
  /// The same without slopes.
  double step_s(Vector const& values, int members) const;

 private:
  double share(int members) const;

  std::uint64_t batch_;
};

/// exp() of each.
Vector values_of(Vector const& logs);

}  // namespace gleaner::profile
