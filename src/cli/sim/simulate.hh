// SPDX-License-Identifier: Apache-2.0
/// What `gleaner sim` was asked to do, and doing it.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "alloc/allocator.hh"
#include "core/result.hh"
#include "sim/engine.hh"
#include "sim/recorded_holes.hh"

namespace gleaner::cli {

struct SimOptions {
  std::string idle_events;  ///< a recording; or else
  std::string swf;          ///< a log of rigid jobs, on so many nodes
  int nodes = 0;            ///< 0: as many as the log's header says
  double reclaim_s = 0;     ///< how long a lease takes to give its node back
  std::string trainers;
  std::string curves;

  alloc::AllocatorOptions allocator;
  sim::EngineOptions engine;
  double known_ahead_s = 0;
  std::uint64_t seed = 0;

  enum class Rules { freetrain, gleaner } rules = Rules::freetrain;
  sim::LumpCosts lump;
  /// Of the size that char_lm shows on the minicluster (doc/results-demo.md):
  /// its start, a lease, a slow stall; loss_s is a stall and some redone work.
  sim::PhaseCosts phases{2, 0.07, 0.12, 0.15};
  double cost_scale = 1;
  double work_scale = 1;  ///< of every training
};

struct SimResult {
  nlohmann::ordered_json figures;
  sim::Outcome outcome;
  std::vector<std::string> nodes;
};

/// `progress`, if any, is told the simulated time.
Result<SimResult> simulate(SimOptions const& options,
                           std::function<void(double now_s)> const& progress);

}  // namespace gleaner::cli
