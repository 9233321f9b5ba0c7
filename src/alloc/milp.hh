// SPDX-License-Identifier: Apache-2.0
/// The reference policy: the published mixed-integer program, given to a
/// solver.
#pragma once

#include <chrono>
#include <memory>

#include "alloc/allocator.hh"

namespace gleaner::alloc {

/// BFTrainer's and FreeTrain's program for nodes n and trainers j; c_jn is 1
/// where j has n now, C_j = Σ_n c_jn, r_j the speed there, T the forward-
/// looking time:
///     max Σ_j T·S_j − Σ_j r_j (expand_s u_j + shrink_s v_j)
///     S_j = Σ_i w_ji O_ji, Σ_i w_ji = 1, w_j of type SOS2   the curve
///     n_j = Σ_n x_jn = Σ_i w_ji N_ji                        nodes of j
///     Σ_j x_jn ≤ 1                                          a node has one
///     nodes_min·y_j ≤ n_j ≤ nodes_max·y_j                   none or enough
///     n_j − C_j ≤ N u_j, C_j − n_j ≤ N v_j                  what is charged
///     D_j = Σ_n |x_jn − c_jn| = |n_j − C_j|                 no migration, as
///         D_j − (n_j − C_j) ≤ M (1 − g_j), D_j + (n_j − C_j) ≤ M g_j
/// with binary x, u, v, y, g.  M must be 2N.  The published code has N + 1,
/// which keeps n_j − C_j within ±⌊(N + 1) / 2⌋: AllocatorOptions::cap_change.
struct MilpPlan {
  Plan plan;
  bool is_proven = false;  ///< that no plan is worth more
};

/// Fails with timed_out when nothing was found within the limit, and with
/// invalid_argument when no plan obeys the rows (with cap_change only).
Result<MilpPlan> solve_milp(Problem const& problem, bool cap_change,
                            std::chrono::milliseconds limit);

/// The policy.  Fails with unavailable in a build without CBC.
Result<std::unique_ptr<Allocator>> make_milp(AllocatorOptions const& options);

}  // namespace gleaner::alloc
