// SPDX-License-Identifier: Apache-2.0
/// How often does Slurm take a node from the trainings?
///
/// Losses per second that a training has one node, as they were lately.  Losses
/// are taken as a Poisson process whose rate changes from day to day.  The
/// estimate is the mean of a gamma distribution: losses seen over node time
/// seen, both with their share of what was assumed at first.  What was seen
/// counts half as much a day later.
#pragma once

namespace gleaner::profile {

class LossRate {
 public:
  /// `assumed_per_node_s` counts like ten losses that were seen.
  explicit LossRate(double assumed_per_node_s);

  /// For the next `length_s` trainings have `nodes` nodes together.
  void pass(double length_s, double nodes);

  /// So many trainings have just lost nodes.  A training that loses several
  /// nodes at once stands still once, so it counts once.
  void lose(int trainings);

  double per_node_s() const;

 private:
  double assumed_node_s_;
  double lent_node_s_ = 0;
  double losses_ = 0;
};

}  // namespace gleaner::profile
