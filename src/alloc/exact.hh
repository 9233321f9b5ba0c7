// SPDX-License-Identifier: Apache-2.0
/// The policy with the largest predicted gain, found exactly.
#pragma once

#include "alloc/allocator.hh"

namespace gleaner {

/// Nodes are interchangeable in the objective, so the optimum depends on
/// counts only.  With C nodes now and r = speed[C] (0 below nodes_min), having
/// k nodes is worth, over the forward-looking time T,
///     f(k) = T · speed[k] − r · (expand_s if k > C, shrink_s if k < C)
/// and dynamic programming over the trainers picks the counts.  Curves may have
/// any shape.  Nodes in short holes are worth something only to the trainer
/// that has them: it keeps them without using up the common pool.
class Exact final : public Allocator {
 public:
  Result<Plan> allocate(Problem const& problem,
                        std::chrono::milliseconds limit) override;
};

/// What `plan` is worth by the formula above; for tests and reports.
double predicted_gain(Problem const& problem, Plan const& plan);

}  // namespace gleaner
