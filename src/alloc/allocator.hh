// SPDX-License-Identifier: Apache-2.0
/// The decision: which idle nodes each trainer should run on.
///
/// gleanerd and the simulator ask the same code.  Nothing here reads a clock,
/// a file or Slurm: a plan is a function of its problem.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/node_set.hh"
#include "core/result.hh"

namespace gleaner {

using TrainerId = std::string;

/// A node that is idle, or that a trainer holds.
struct Node {
  std::string name;
  std::optional<double> hole_s;  ///< until Slurm uses it; none: unknown
  std::uint32_t weight = 1;      ///< slurm.conf's Weight: Slurm takes low first
};

/// One malleable training job, as the allocator sees it.
struct Trainer {
  TrainerId id;
  int nodes_min = 1;  ///< below this it waits, holding no node
  int nodes_max = 1;  ///< beyond this it gains nothing
  NodeSet nodes;      ///< where it runs now; empty while waiting
  /// Speed at 0, 1, … nodes_max nodes, as a multiple of its speed on one node,
  /// so that a slow model is not starved by a fast one.  Any shape; [0] is 0.
  std::vector<double> speed;
  double expand_s = 0;  ///< training time that growing costs
  double shrink_s = 0;  ///< training time that shrinking costs
};

/// Everything a decision may depend on.  A value: equal problems get equal
/// plans, so a decision seen in production can be replayed in the simulator.
struct Problem {
  std::vector<Node> nodes;         ///< what can be had; ordered by name
  std::vector<Trainer> trainers;   ///< in order of arrival
  double forward_looking_s = 120;  ///< time in which a resize must pay
  double hole_s_min = 0;           ///< a shorter hole only keeps its trainer
};

/// Nodes for each trainer, empty sets included.  Disjoint, within
/// Problem::nodes, and for each trainer either empty or between nodes_min and
/// nodes_max nodes.  A trainer gets no node in place of one it could keep.
using Plan = std::map<TrainerId, NodeSet>;

/// A policy.  Implementations keep no state between calls and read no clock.
class Allocator {
 public:
  virtual ~Allocator() = default;

  /// Decide.  Fails with timed_out when no plan was found within `limit`;
  /// the caller then keeps the present plan.
  virtual Result<Plan> allocate(Problem const& problem,
                                std::chrono::milliseconds limit) = 0;
};

/// The policy of that name: "exact" or "equal_share" (gleaner.yaml(5)).
std::unique_ptr<Allocator> make_allocator(std::string_view policy);

}  // namespace gleaner
