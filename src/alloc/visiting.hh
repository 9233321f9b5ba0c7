// SPDX-License-Identifier: Apache-2.0
/// How is a plan made while some trainings visit a number of nodes only to be
/// measured there?
///
/// If a trainer visits fewer nodes than the plan gives it, the rest stays idle,
/// so that no other trainer is resized for a moment.  If it visits more nodes,
/// it gets spare ones, and nodes of the trainers that lose least.  No trainer
/// goes below its minimum for a visit.
#pragma once

#include <cstddef>
#include <vector>

#include "alloc/allocator.hh"

namespace gleaner::alloc {

struct VisitedSize {
  std::size_t trainer = 0;  ///< place in Problem::trainers
  int nodes = 0;            ///< between its nodes_min and nodes_max
  /// Who may not lose a node for it, by place; empty: all may.
  std::vector<bool> keeps;
  double needs_s = 0;  ///< no hole of its nodes may end sooner
};

struct VisitedPlan {
  Plan plan;
  /// By place in the visits: whether the trainer gets just this number.
  std::vector<bool> granted;
};

/// `plan`, as `policy` made it of `problem`, with `visits`; those that cannot
/// be granted are left out.  Without any it is the same plan.
VisitedPlan with_visits(Plan plan, Allocator& policy, Problem const& problem,
                        std::vector<VisitedSize> const& visits,
                        std::chrono::milliseconds limit);

}  // namespace gleaner::alloc
