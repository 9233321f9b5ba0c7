// SPDX-License-Identifier: Apache-2.0
/// What a simulated run came to.
#pragma once

#include <string>
#include <vector>

#include "sim/idle_events.hh"

namespace gleaner::sim {

/// One stretch of time in which nothing changed.
struct Interval {
  double from_s = 0;
  double to_s = 0;
  int idle = 0;      ///< nodes
  int used = 0;      ///< of these, by trainers
  int trainers = 0;  ///< that had nodes
  int waiting = 0;   ///< submitted, but without a node
  double made_samples = 0;
  int losses = 0;   ///< trainers that lost a node at its end
  int resizes = 0;  ///< planned, at its beginning
};

/// A node is given to a trainer, or to nobody (-1), from t_s on.
struct Handover {
  double t_s = 0;
  NodeNumber node = 0;
  int training = -1;  ///< place in the list of trainings
};

struct Outcome {
  double length_s = 0;
  double made_samples = 0;
  /// The same with a sample counting as the time one node needs for it, so
  /// that trainings of fast and slow models can be added up.
  double made_node_s = 0;
  int trainings = 0;
  int finished = 0;
  int rescales = 0;         ///< planned changes of a trainer's nodes
  int preempts = 0;         ///< times a trainer lost nodes
  double rescale_cost = 0;  ///< samples
  double preempt_cost = 0;  ///< samples
  double idle_node_s = 0;
  double used_node_s = 0;
  int visits = 0;            ///< for measuring on purpose, that were measured
  int visits_given_up = 0;   ///< that were interrupted or late
  double visits_node_s = 0;  ///< what they were charged
  int solves_failed = 0;     ///< the old plan was kept
  std::vector<double> solve_ms;  ///< one per decision
  std::vector<Interval> intervals;
  std::vector<Handover> handovers;  ///< only if they were asked for
};

}  // namespace gleaner::sim
