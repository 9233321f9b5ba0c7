// SPDX-License-Identifier: Apache-2.0
/// What changing its nodes costs a training: two ways of counting.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sim/idle_events.hh"
#include "sim/training_set.hh"

namespace gleaner::sim {

/// A training that has been admitted, and what its last resize still costs.
struct Trainer {
  Training const* training = nullptr;
  std::vector<NodeNumber> nodes;  ///< in the order it got them
  double done_samples = 0;
  double owed_samples = 0;  ///< lump: taken off the next interval
  std::size_t ready = 0;    ///< phases: so many of them train, the first ones
  double preparing_s = 0;   ///< phases: until the others are ready
  double stalled_s = 0;     ///< phases: after that it stands still
  double repairing_s = 0;   ///< phases: and nothing now, after a loss

  /// Lose a node, by place.
  void drop(std::size_t place) {
    nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(place));
    if (place < ready) --ready;
  }
  /// Samples/s on the nodes it has.
  double rate() const { return training->speed[nodes.size()]; }
  double left_samples() const { return training->work_samples - done_samples; }
};

/// What an interval brought, and what it cost, in samples.
struct Progress {
  double made = 0;
  double rescale_cost = 0;
  double preempt_cost = 0;
};

/// What the allocator is told of a trainer's costs (alloc/allocator.hh).
struct TrainerCosts {
  double expand_s = 0;
  double shrink_s = 0;
  double start_s = 0;
};

/// A way of counting.  Keeps no state: that is in the Trainer.
class Rules {
 public:
  virtual ~Rules() = default;
  virtual TrainerCosts costs(Training const& training) const = 0;
  /// The next `length_s` of training, at whose end a node is lost or not.
  enum class End { quiet, loss };
  virtual Progress pass(Trainer& trainer, double length_s, End end) const = 0;
  /// For how much of the next time its present size is not what it trains at.
  virtual double unsettled_s(Trainer const& trainer) const = 0;
  /// It has been resized, by plan, from `before` nodes to what it has now; of
  /// those, `ready` were training.
  virtual void resized(Trainer& trainer, std::size_t before) const = 0;
  /// Whether trainings begin and finish at any time, or only when the holes
  /// change.
  virtual bool looks_between_changes() const = 0;
  /// In how many seconds it will have done its work if nothing changes.
  virtual std::optional<double> finishes_in_s(Trainer const& trainer) const = 0;
};

/// The accounting under which FreeTrain was published.  A resize costs its
/// time (expand_s, shrink_s) at the rate before it, at once; so does a loss,
/// at shrink_s.  From zero nodes a resize is free, or, if `charge_start`, costs
/// expand_s at the rate after it.
struct LumpCosts {
  bool charge_start = false;
};
std::unique_ptr<Rules> lump_rules(LumpCosts costs);

/// Gleaner's own runtime: new nodes are made ready beside the training, which
/// goes on at the size it has reached; then it stands still while it switches.
/// A loss stops the members there are; joiners prepare on.
struct PhaseCosts {
  double prepare_s = 0;     ///< joiners load and connect, however many
  double node_start_s = 0;  ///< the same, for each: Slurm starts one by one
  double stall_s = 0;       ///< standing still at a planned switch
  double loss_s = 0;  ///< standing still after a loss, work redone included
};
std::unique_ptr<Rules> phase_rules(PhaseCosts costs);

}  // namespace gleaner::sim
