// SPDX-License-Identifier: Apache-2.0
/// How are a problem and its plan written as JSON, to be solved again
/// elsewhere?
///
///     {"forward_looking_s": 120, "hole_s_min": 5,
///      "nodes": [{"name": "n1"}, {"name": "n2", "hole_s": 300, "idle_s": 4}],
///      "trainers": [{"id": "17", "nodes_min": 1, "nodes_max": 2,
///                    "nodes": ["n1"], "speed": [0, 1, 1.9],
///                    "expand_s": 0.5, "shrink_s": 0.2}]}
///
/// Where not every trainer can use every node, a node has a "kind" and a
/// trainer names those it can use: {"id": "18", "usable": [0, 2], ...}.
///
/// and the plan: {"17": ["n1", "n2"]}.  Fields as in allocator.hh; one that has
/// its default may be left out.  Numbers survive to the last bit, so that a
/// problem that was written and read gets the same plan.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "alloc/allocator.hh"

namespace gleaner::alloc {

nlohmann::ordered_json problem_to_json(Problem const& problem);

/// Fails with invalid_argument, naming the field ("trainers[2].speed") and
/// what was expected: unknown fields, names that occur twice, held nodes that
/// are not among the nodes or held twice, bounds out of order, a speed too few
/// or too many, usable kinds that are none or not ascending, numbers that are
/// not finite or negative.
Result<Problem> problem_from_json(nlohmann::json const& value);

/// Node names by trainer id.  `plan` belongs to `problem`.
nlohmann::ordered_json plan_to_json(Problem const& problem, Plan const& plan);

/// Fails with invalid_argument where it is no plan for `problem`.
Result<Plan> plan_from_json(Problem const& problem,
                            nlohmann::json const& value);

}  // namespace gleaner::alloc
