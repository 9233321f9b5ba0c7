// SPDX-License-Identifier: Apache-2.0
/// Discrete-event simulation: holes come and go, trainings use them.
///
/// At time 0 and at every change of the holes, in this order: account for the
/// time since the last; take leavers from trainers; free the nodes of finished
/// trainers; free leavers vanish; joiners are appended to the free nodes; admit
/// waiting trainings, first come, up to trainers_max; ask the allocator; apply
/// its plan.  The run ends with the last change of the holes, at until_s, or
/// when no training is left.
#pragma once

#include <deque>
#include <functional>
#include <limits>

#include "alloc/allocator.hh"
#include "sim/hole_source.hh"
#include "sim/knowledge.hh"
#include "sim/outcome.hh"
#include "sim/rules.hh"
#include "sim/visits.hh"

namespace gleaner::sim {

struct EngineOptions {
  int trainers_max = 10;  ///< admitted at the same time
  double forward_looking_s = 120;
  double until_s = std::numeric_limits<double>::infinity();
  std::optional<TrainerCosts> told_costs = {};  ///< instead of the rules' own
  KnowledgeOptions knowledge = {};
  enum class Handovers { forget, record } handovers = Handovers::forget;
};

class Engine {
 public:
  /// All must outlive the engine; `trainings` in order of submission.
  Engine(std::vector<Training> const& trainings, HoleSource& holes,
         alloc::Allocator& allocator, Rules const& rules,
         EngineOptions options);

  /// Run to the end.  `progress`, if any, is told the simulated time.
  Outcome run(std::function<void(double now_s)> const& progress = {});

 private:
  std::optional<double> next_s() const;
  void pass(double until_s, std::vector<NodeNumber> const& leavers);
  void take_leavers(std::vector<NodeNumber> const& leavers);
  void retire_finished();
  void join(std::vector<NodeNumber> const& joiners);
  void admit();
  void solve();
  void apply(alloc::Plan const& plan);
  void hand_over(NodeNumber node, int training);
  bool is_over() const { return trainers_.empty() && waiting_.empty(); }

  std::vector<Training> const& trainings_;
  HoleSource& holes_;
  alloc::Allocator& allocator_;
  Rules const& rules_;
  EngineOptions options_;

  Knowledge knowledge_;
  Visits visits_;
  double now_s_ = 0;
  std::vector<Trainer> trainers_;          ///< admitted, in order of arrival
  std::deque<Training const*> waiting_;    ///< not admitted yet
  std::vector<NodeNumber> free_;           ///< handed out from the front
  std::vector<bool> lent_;                 ///< by node
  std::vector<double> idle_since_s_;       ///< by node
  alloc::Problem problem_;                 ///< kept: its curves are large
  std::vector<NodeNumber> problem_nodes_;  ///< by place in problem_.nodes
  int resizes_ = 0;                        ///< of the last plan
  Outcome outcome_;
};

}  // namespace gleaner::sim
