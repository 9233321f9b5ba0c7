// SPDX-License-Identifier: Apache-2.0
/// How a training goes at one size, and what kind of training it is: all that
/// the advisor learns from.
#pragma once

#include <cstdint>
#include <string>

namespace gleaner::profile {

/// What was measured of one generation, once it is warm.  Grows more exact as
/// the generation gets older; the latest one replaces those before it.
struct Pace {
  std::uint64_t generation = 0;
  int nodes = 0;
  int members = 0;
  std::uint64_t steps = 0;   ///< that were measured
  double step_s = 0;         ///< median, from the end of a step to the next's
  double step_spread_s = 0;  ///< between their quartiles
  double compute_s = 0;      ///< of it in the program: mean over members
  double compute_max_s = 0;  ///< the same at the member that computes longest
  double exposed_s = 0;  ///< waiting for sums at the member that waits least
  double update_s = 0;   ///< the registered update; 0: not known
};

/// What a training is, as far as it says something about its scaling.
struct Traits {
  /// Trainings with the same one are taken to scale alike: program, state,
  /// batch and type of node.  "": not known.
  std::string family;
  std::uint64_t global_batch = 0;    ///< samples in a step, whatever the size
  std::uint64_t gradient_bytes = 0;  ///< summed in a step
  int members_per_node = 1;

  bool operator==(Traits const&) const = default;
};

/// What changing its nodes costs a training, as training time.
struct ResizeCosts {
  double expand_s = 0;
  double shrink_s = 0;
  double start_s = 0;
  double loss_s = 0;
};

}  // namespace gleaner::profile
