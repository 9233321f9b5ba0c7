// SPDX-License-Identifier: Apache-2.0
/// The notation of the allocator's tests: nodes and trainers on one line.
#pragma once

#include <catch2/catch.hpp>
#include <cmath>
#include <string_view>

#include "alloc/allocator.hh"

namespace gleaner {

/// A trainer whose speed at k nodes is k^0.9 unless the test says otherwise.
inline Trainer trainer(TrainerId id, int nodes_min, int nodes_max,
                       std::string_view now = "") {
  Trainer t{
      std::move(id), nodes_min, nodes_max, *NodeSet::parse(now), {}, 0, 0};
  for (int k = 0; k <= nodes_max; ++k) t.speed.push_back(std::pow(k, 0.9));
  return t;
}

/// Idle nodes with no planned end.
inline std::vector<Node> nodes(std::string_view text) {
  std::vector<Node> result;
  auto const names = NodeSet::parse(text);
  for (auto const& name : *names) result.push_back({name, std::nullopt, 1});
  return result;
}

inline Plan solve(std::string_view policy, Problem const& problem) {
  auto plan = make_allocator(policy)->allocate(problem,
                                               std::chrono::milliseconds(1000));
  REQUIRE(plan);
  return *plan;
}

}  // namespace gleaner
