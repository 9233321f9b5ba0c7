// SPDX-License-Identifier: Apache-2.0
/// How fast is this training on k nodes, and how sure are we?
#pragma once

#include <optional>
#include <vector>

#include "profile/pace.hh"

namespace gleaner {

/// What the allocator is told of a training's scaling.
struct Advice {
  /// Samples/s on 0, 1, … nodes_max nodes: what is expected, and the ends of
  /// the interval that holds the truth nine times in ten.
  std::vector<double> mean, low, high;
  int nodes_seen_max = 0;  ///< largest number it was measured on
};

/// What was learned of a training, for the next with its fingerprint.
struct Learned;

class Advisor {
 public:
  void set_traits(Traits const& traits);
  /// What trainings with the same fingerprint have taught; before add().
  void set_prior(Learned const& prior);
  /// The generation's pace so far; replaces what was said of it before.
  void add(Pace const& pace);
  Advice advise(int nodes_max) const;
  Learned learned() const;
};

}  // namespace gleaner
