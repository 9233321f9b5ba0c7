// SPDX-License-Identifier: Apache-2.0
/// What would plans gain by knowing how fast a training is on k nodes?
#pragma once

#include <vector>

#include "profile/advisor.hh"

namespace gleaner::profile {

/// The numbers of nodes that a training could have, and what they cost others.
struct Choices {
  int nodes_min = 1;
  int nodes_max = 1;
  int nodes = 0;               ///< that it has
  std::vector<double> losses;  ///< of others, for 0, 1, … nodes more
  std::vector<double> gains;   ///< of others, for 0, 1, … nodes less
};

/// Speeds as multiples of that on one node, as plans count them.
struct RelativeSpeed {
  std::vector<double> mean, low;
};
RelativeSpeed relative_speed(Advice const& advice);

/// What all earn more by this training having `nodes` nodes than by what it
/// has, when `speed` is true.  In multiples of one node's speed.
double earned(Choices const& choices, std::vector<double> const& speed,
              int nodes);

/// The number of nodes that earns most, when more than it has counts as little
/// as it may be: so plans are made (alloc/cautious.hh).
int chosen(Choices const& choices, RelativeSpeed const& speed);

/// What is gained by choosing after a measurement rather than before, averaged
/// over how it may come out.  In multiples of one node's speed; 0 or more but
/// for what is rounded and what caution loses.
double knowledge_gain(Choices const& choices, RelativeSpeed const& now,
                      std::vector<Outcome> const& outcomes);

}  // namespace gleaner::profile
