// SPDX-License-Identifier: Apache-2.0
/// The decision: which idle nodes each trainer should run on.
///
/// gleanerd and the simulator ask the same code.  Nothing here reads a clock,
/// a file or Slurm: a plan is a function of its problem.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hh"

namespace gleaner::alloc {

using TrainerId = std::string;

class SpeedOutline;

/// A place in Problem::nodes.
using NodeIndex = std::uint32_t;

/// A node that is idle, or that a trainer holds.
struct Node {
  std::string name;
  std::optional<double> hole_s;  ///< until Slurm uses it by its present plan;
                                 ///< none: unknown
  std::uint32_t weight = 1;      ///< slurm.conf's Weight: Slurm takes low first
  double idle_s = 0;       ///< since it became a hole, lent or not: its age
  std::uint32_t kind = 0;  ///< nodes of one kind can serve the same trainers
};

/// One malleable training job, as the allocator sees it.
struct Trainer {
  TrainerId id;
  int nodes_min = 1;  ///< below this it waits, holding no node
  int nodes_max = 1;  ///< beyond this it gains nothing
  /// The nodes it runs on now, in the order it got them; empty while it waits.
  /// A node that is gone is not listed; no node belongs to two trainers.
  std::vector<NodeIndex> nodes;
  /// The kinds of node that it can use (Node::kind), ascending; empty: all.  It
  /// may keep a node that it holds, of whatever kind.
  std::vector<std::uint32_t> usable;
  /// Samples per second at 0, 1, … nodes_max nodes (gleanerd: as a multiple of
  /// the speed on one node).  Any shape; [0] is 0.
  std::vector<double> speed;
  double expand_s = 0;  ///< training time that growing costs
  double shrink_s = 0;  ///< training time that shrinking costs
  double start_s = 0;   ///< training time that beginning costs, at the new size
  /// The user it belongs to.  Weights and deadlines divide an owner's nodes
  /// among the owner's trainers; how many nodes that is does not depend on
  /// them.
  std::uint32_t owner = 0;
  double weight = 1;  ///< a unit of its speed counts so much
  /// Work left, in seconds at speed 1 (so samples, if speed is in samples per
  /// second); 0: unknown.
  double work_left = 0;
  std::optional<double> deadline_s;  ///< should be finished by then, from now
  /// Bounds of the speeds, where these are not known for certain; as long as
  /// `speed`, or empty.  Only policy `gleaner` uses them.
  std::vector<double> speed_low, speed_high;
  int nodes_tried = 0;  ///< the largest number that it was measured on
  /// Lies nowhere below `speed` (speed_outline.hh).  Without one it is made
  /// where it is needed, which takes as long as reading the curve.
  std::shared_ptr<SpeedOutline const> outline;

  /// Limits the trainer to so many nodes.
  void limit_nodes(int most);
};

/// Everything a decision may depend on.  A value: equal problems get equal
/// plans, so a decision seen in production can be replayed in the simulator.
struct Problem {
  std::vector<Node> nodes;         ///< what can be had; among equally good ones
                                   ///< those in front are handed out first
  std::vector<Trainer> trainers;   ///< in order of arrival
  double forward_looking_s = 120;  ///< time in which a resize must pay
  double hole_s_min = 0;           ///< a shorter hole only keeps its trainer
  int trainers_waiting = 0;        ///< that are not among the trainers yet

  /// The same without nodes and trainers: what holds for any part of it.
  Problem terms() const {
    return {{}, {}, forward_looking_s, hole_s_min, trainers_waiting};
  }
};

/// The nodes of each trainer, in the order of Problem::trainers: first those it
/// keeps, in their old order, then the new ones in the order handed out.
/// Disjoint, and for each trainer either none or between nodes_min and
/// nodes_max.  A trainer gets nodes of kinds it can use.  It gets no node in
/// place of one it could keep, unless it resizes anyway, or a trainer that can
/// use fewer kinds needs that one.
using Plan = std::vector<std::vector<NodeIndex>>;

/// A plan, and how good it is by the policy's own measure.
struct Decision {
  Plan plan;
  /// The plan's gain in the forward-looking time, in the unit of speeds (with
  /// Extras::normalise: of one node) times seconds; and a gain that no plan can
  /// exceed.  If they are equal, the plan is the best.  Both 0: the policy
  /// knows no bound.
  double value = 0;
  double bound = 0;
  double steps = 0;  ///< that it took (work.hh)

  /// The part of the bound that the plan misses, 0 to 1.
  double gap() const {
    return bound > 0 ? std::clamp((bound - value) / bound, 0.0, 1.0) : 0;
  }
};

/// Steps after which policies gleaner, exact and freetrain take the best plan
/// that they know: some milliseconds.  Ordinary problems of 10,000 nodes and
/// 1,000 trainers take a tenth of that (doc/results-allocator.md).
inline constexpr double steps_max_default = 5e6;

/// A policy.  Implementations keep no state between calls and read no clock.
class Allocator {
 public:
  virtual ~Allocator() = default;

  /// Decide.  Policy milp fails with timed_out when it has found no plan within
  /// `limit`, and the caller then keeps the present one.  The others read no
  /// clock and do not fail: their work is limited by counted steps.
  virtual Result<Decision> allocate(Problem const& problem,
                                    std::chrono::milliseconds limit) = 0;
};

/// What policy `gleaner` considers beyond the published objective.  Each can be
/// switched off, to measure what it is worth.
struct Extras {
  /// Speed counts as a multiple of the trainer's speed on one node, times its
  /// weight among its owner's, so that a slow model is not starved by a fast
  /// one.
  bool normalise = true;
  /// The part of start_s that a start is charged; 0: starts are free.  Charged
  /// in full, it keeps trainers waiting that are worth starting: a trainer that
  /// waits has to start at some time, and it runs on after the forward-looking
  /// time.
  double start_share = 0.3;
  /// Trainers that grow are given nodes that became idle together.
  bool cohorts = true;
  /// For that, trainers may swap nodes that they hold.  The published
  /// accounting charges nothing for a swap; on a machine each swapped node
  /// starts a program again, so gleanerd leaves this off.
  bool swaps = false;
  /// How often Slurm takes a node, per second that a trainer has it.  One on k
  /// nodes is hit k times as often, and each time loses shrink_s: of its time
  /// 1 / (1 + rate · k · shrink_s) is left.  0: losses are not counted.
  double losses_per_node_s = 2e-4;
  /// Ties go to the trainer with the most work left, in seconds on one node, so
  /// that all finish together.  Not while other trainers wait to be
  /// admitted, since it would cost samples then.
  bool work_left_first = true;
  /// A speed that a deadline needs counts this much more than that of the same
  /// owner's other trainers; 0: no deadlines.
  double deadline_weight = 3;
  /// Trainers get no node in a hole that is too short to pay for their start or
  /// growth (hole_needs.hh).  Off by default: it may make running trainers swap
  /// nodes, which costs more than it saves.
  bool short_holes = false;

  static Extras none() { return {false, 0, false, false, 0, false, 0, false}; }
};

/// A policy and how it differs from its usual self.
struct AllocatorOptions {
  std::string policy = "gleaner";
  /// No trainer changes by more than ⌊(N + 1) / 2⌋ of N nodes, as in the
  /// published code.  For `milp` and `exact`; `freetrain` does so always.
  bool cap_change = false;
  double steps_max = steps_max_default;  ///< of a decision (work.hh)
  Extras extras;                         ///< of `gleaner`
};

/// The policy of that name (gleaner.yaml(5)):
///   gleaner      the largest gain, with all that Extras lists
///   exact        the largest gain as published, found exactly
///   freetrain    exact with cap_change: what FreeTrain's optimum is
///   equal_share  the same number of nodes for every trainer
///   milp         the published program on CBC, for comparison: slow
/// Fails with invalid_argument, naming those there are, and with unavailable
/// where the build has no CBC.
Result<std::unique_ptr<Allocator>> make_allocator(AllocatorOptions options);
Result<std::unique_ptr<Allocator>> make_allocator(std::string_view policy);

}  // namespace gleaner::alloc
