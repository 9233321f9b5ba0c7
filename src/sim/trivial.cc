// SPDX-License-Identifier: Apache-2.0
#include "sim/trivial.hh"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gleaner::sim {

Result<alloc::Decision> Trivial::allocate(alloc::Problem const& problem,
                                          std::chrono::milliseconds) {
  auto const& trainers = problem.trainers;
  auto left = static_cast<int>(problem.nodes.size());
  std::vector<int> counts(trainers.size());
  for (std::size_t i = 0; i < trainers.size(); ++i)
    if (trainers[i].nodes_min <= left)
      left -= counts[i] = trainers[i].nodes_min;
  std::vector<std::size_t> order(trainers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return trainers[a].work_left > trainers[b].work_left;
  });
  for (auto i : order) {
    if (counts[i] == 0) continue;
    int const more = std::min(left, trainers[i].nodes_max - counts[i]);
    counts[i] += more;
    left -= more;
  }
  alloc::Plan plan(trainers.size());
  std::vector<bool> taken(problem.nodes.size());
  for (std::size_t i = 0; i < trainers.size(); ++i)
    for (alloc::NodeIndex node : trainers[i].nodes)
      if (static_cast<int>(plan[i].size()) < counts[i]) {
        plan[i].push_back(node);
        taken[node] = true;
      }
  alloc::NodeIndex next = 0;
  for (std::size_t i = 0; i < trainers.size(); ++i)
    while (static_cast<int>(plan[i].size()) < counts[i]) {
      while (taken[next]) ++next;
      taken[next] = true;
      plan[i].push_back(next);
    }
  return alloc::Decision{std::move(plan)};
}

}  // namespace gleaner::sim
