// SPDX-License-Identifier: Apache-2.0
/// What is kept of a training for the next one of the same family?
#pragma once

#include <vector>

namespace gleaner::profile {

/// What was measured at one size, averaged over trainings.
struct LearnedSize {
  int members = 0;
  int trainings = 1;   ///< that ran at this size
  double step_s = 0;   ///< without stragglers
  double step_sd = 0;  ///< relative standard error of step_s
  double compute_s = 0;
  double exposed_s = 0;

  bool operator==(LearnedSize const&) const = default;
};

/// The measurements themselves, because a measured size counts as measured for
/// the next training, too.  Ascending by members, each size once.
struct Learned {
  int members_per_node = 1;
  std::vector<LearnedSize> sizes;

  bool operator==(Learned const&) const = default;
};

/// What both have taught: for a store that gets one training after the other.
Learned merged(Learned const& known, Learned const& added);

}  // namespace gleaner::profile
