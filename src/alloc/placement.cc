// SPDX-License-Identifier: Apache-2.0
/// Placement: keep, give up, hand out.
#include "alloc/placement.hh"

#include <algorithm>
#include <limits>

#include "core/contract.hh"

namespace gleaner::alloc {
namespace {

/// "No plan" is unknown, not for ever; but a planned end is certain to come.
double length_s(Node const& node) {
  return node.hole_s.value_or(std::numeric_limits<double>::infinity());
}

/// Long holes first, then the nodes Slurm itself would take last.
class IsBetter {
 public:
  explicit IsBetter(Problem const& problem) : nodes_(problem.nodes) {}
  bool operator()(NodeIndex a, NodeIndex b) const {
    double const a_s = length_s(nodes_[a]), b_s = length_s(nodes_[b]);
    return a_s != b_s ? a_s > b_s : nodes_[a].weight > nodes_[b].weight;
  }

 private:
  std::vector<Node> const& nodes_;
};

/// Nodes of `problem` that nobody holds.
std::vector<NodeIndex> free_nodes(Problem const& problem) {
  std::vector<char> is_held(problem.nodes.size(), 0);
  for (auto const& trainer : problem.trainers)
    for (auto const node : trainer.nodes) is_held[node] = 1;
  std::vector<NodeIndex> free;
  for (NodeIndex node = 0; node < problem.nodes.size(); ++node)
    if (!is_held[node] && is_lendable(problem, node)) free.push_back(node);
  return free;
}

}  // namespace

bool is_lendable(Problem const& problem, NodeIndex node) {
  EXPECT(node < problem.nodes.size(), node, problem.nodes.size());
  return length_s(problem.nodes[node]) >= problem.hole_s_min;
}

Holdings holdings(Problem const& problem) {
  Holdings result;
  IsBetter const is_better(problem);
  result.free = free_nodes(problem);
  std::stable_sort(result.free.begin(), result.free.end(), is_better);
  for (auto const& trainer : problem.trainers) {
    auto& nodes = result.held.emplace_back(trainer.nodes);
    auto const bound_end = std::stable_partition(
        nodes.begin(), nodes.end(),
        [&](NodeIndex node) { return !is_lendable(problem, node); });
    std::stable_sort(nodes.begin(), bound_end, is_better);
    std::stable_sort(bound_end, nodes.end(), is_better);
    result.bound.push_back(static_cast<int>(bound_end - nodes.begin()));
    result.pool += static_cast<int>(nodes.end() - bound_end);
  }
  result.pool += static_cast<int>(result.free.size());
  ENSURE(static_cast<std::size_t>(result.pool) <= problem.nodes.size(),
         result.pool, problem.nodes.size());
  return result;
}

Plan place(Problem const& problem, Holdings const& holdings,
           std::vector<int> const& counts) {
  EXPECT(counts.size() == problem.trainers.size() &&
             holdings.held.size() == counts.size(),
         counts.size(), problem.trainers.size(), holdings.held.size());
  auto pool = holdings.free;
  std::vector<char> is_given_up(problem.nodes.size(), 0);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    EXPECT(counts[i] >= 0, i, counts[i]);
    for (auto n = static_cast<std::size_t>(counts[i]);
         n < holdings.held[i].size(); ++n) {
      auto const node = holdings.held[i][n];
      is_given_up[node] = 1;
      if (is_lendable(problem, node)) pool.push_back(node);
    }
  }
  std::sort(pool.begin(), pool.end());
  std::stable_sort(pool.begin(), pool.end(), IsBetter(problem));

  Plan plan(problem.trainers.size());
  auto next = pool.begin();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    auto const& trainer = problem.trainers[i];
    auto const kept =
        std::min(counts[i], static_cast<int>(trainer.nodes.size()));
    auto const wanted =
        std::min(counts[i] - kept, static_cast<int>(pool.end() - next));
    if (kept + wanted < std::max(1, trainer.nodes_min)) continue;
    for (auto const node : trainer.nodes)
      if (!is_given_up[node]) plan[i].push_back(node);
    plan[i].insert(plan[i].end(), next, next + wanted);
    next += wanted;
    ENSURE(plan[i].size() == static_cast<std::size_t>(kept + wanted),
           trainer.id, plan[i].size(), kept, wanted);
  }
  return plan;
}

}  // namespace gleaner::alloc
