// SPDX-License-Identifier: Apache-2.0
/// The notation of the allocator's tests: nodes and trainers on one line.
#pragma once

#include <cmath>
#include <map>
#include <string_view>

#include "alloc/allocator.hh"
#include "core/node_set.hh"
#include "test/unit/catch.hh"

namespace gleaner::alloc {

/// The places of "n[1-3]" among the nodes that nodes() makes.
inline std::vector<NodeIndex> indices(std::string_view text) {
  std::vector<NodeIndex> result;
  auto const names = NodeSet::parse(text);
  for (auto const& name : *names)
    result.push_back(static_cast<NodeIndex>(std::stoul(name.substr(1))) - 1);
  return result;
}

/// A trainer on the nodes `now`, of those that nodes() makes.  Its speed at k
/// nodes is k^0.9 unless the test says otherwise.
inline Trainer trainer(TrainerId id, int nodes_min, int nodes_max,
                       std::string_view now = "") {
  Trainer t;
  t.id = std::move(id);
  t.nodes_min = nodes_min;
  t.nodes_max = nodes_max;
  t.nodes = indices(now);
  for (int k = 0; k <= nodes_max; ++k) t.speed.push_back(std::pow(k, 0.9));
  return t;
}

/// `count` idle nodes with no planned end: n1, n2, …
inline std::vector<Node> nodes(int count) {
  std::vector<Node> result;
  for (int n = 1; n <= count; ++n)
    result.push_back({"n" + std::to_string(n), std::nullopt, 1, 0});
  return result;
}

/// A plan as an operator would write it: the nodes of a trainer by its id.
inline std::map<TrainerId, std::string> written(Problem const& problem,
                                                Plan const& plan) {
  std::map<TrainerId, std::string> result;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    NodeSet names;
    for (auto const node : plan[i]) names.insert(problem.nodes[node].name);
    result[problem.trainers[i].id] = names.to_string();
  }
  return result;
}

inline Plan solve(std::string_view policy, Problem const& problem) {
  auto allocator = make_allocator(policy);
  REQUIRE(allocator);
  // Of all policies only milp ever takes a part of that.
  auto decision = (*allocator)->allocate(problem, std::chrono::minutes(1));
  REQUIRE(decision);
  return decision->plan;
}

/// The plan of `policy` for idle nodes n1, n2, … and these trainers.
inline std::map<TrainerId, std::string> plan_for(
    std::string_view policy, int node_count, std::vector<Trainer> trainers,
    double forward_looking_s = 120) {
  Problem const problem{nodes(node_count), std::move(trainers),
                        forward_looking_s};
  return written(problem, solve(policy, problem));
}

}  // namespace gleaner::alloc
