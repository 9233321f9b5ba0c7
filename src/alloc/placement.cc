// SPDX-License-Identifier: Apache-2.0
/// Placement: keep, give up, hand out.
#include "alloc/placement.hh"

#include <algorithm>
#include <limits>
#include <tuple>

namespace gleaner {
namespace {

/// "No plan" is unknown, not for ever; but a planned end is certain to come.
double length_s(Node const& node) {
  return node.hole_s.value_or(std::numeric_limits<double>::infinity());
}

bool is_lendable(Problem const& problem, Node const& node) {
  return length_s(node) >= problem.hole_s_min;
}

/// Long holes first, then the nodes Slurm itself would take last.
bool is_better(Node const* a, Node const* b) {
  return std::tuple(-length_s(*a), -static_cast<double>(a->weight), a->name) <
         std::tuple(-length_s(*b), -static_cast<double>(b->weight), b->name);
}

}  // namespace

int Holdings::pool() const {
  auto count = static_cast<int>(free.size());
  for (std::size_t i = 0; i < held.size(); ++i)
    count += static_cast<int>(held[i].size()) - bound[i];
  return count;
}

Holdings holdings(Problem const& problem) {
  Holdings result;
  result.held.resize(problem.trainers.size());
  result.bound.resize(problem.trainers.size());
  std::map<std::string_view, std::size_t> holder;
  for (std::size_t i = 0; i < problem.trainers.size(); ++i)
    for (auto const& name : problem.trainers[i].nodes) holder.emplace(name, i);
  for (auto const& node : problem.nodes) {
    auto const owner = holder.find(node.name);
    bool const lendable = is_lendable(problem, node);
    if (owner == holder.end()) {
      if (lendable) result.free.push_back(&node);
      continue;
    }
    result.held[owner->second].push_back(&node);
    if (!lendable) ++result.bound[owner->second];
  }
  std::sort(result.free.begin(), result.free.end(), is_better);
  for (std::size_t i = 0; i < result.held.size(); ++i) {
    auto& nodes = result.held[i];
    auto const bound_end = std::stable_partition(
        nodes.begin(), nodes.end(),
        [&](Node const* node) { return !is_lendable(problem, *node); });
    std::sort(nodes.begin(), bound_end, is_better);
    std::sort(bound_end, nodes.end(), is_better);
  }
  return result;
}

Plan place(Problem const& problem, Holdings const& holdings,
           std::vector<int> counts) {
  std::vector<Node const*> pool = holdings.free;
  for (std::size_t i = 0; i < counts.size(); ++i)
    for (auto n = static_cast<std::size_t>(counts[i]);
         n < holdings.held[i].size(); ++n)
      if (is_lendable(problem, *holdings.held[i][n]))
        pool.push_back(holdings.held[i][n]);
  std::sort(pool.begin(), pool.end(), is_better);

  Plan plan;
  auto next = pool.begin();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    auto const& trainer = problem.trainers[i];
    auto& nodes = plan[trainer.id];
    auto const kept =
        std::min<int>(counts[i], static_cast<int>(holdings.held[i].size()));
    auto const wanted =
        std::min<int>(counts[i] - kept, static_cast<int>(pool.end() - next));
    if (kept + wanted < std::max(1, trainer.nodes_min)) continue;
    for (int n = 0; n < kept; ++n) nodes.insert(holdings.held[i][n]->name);
    for (int n = 0; n < wanted; ++n) nodes.insert((*next++)->name);
  }
  return plan;
}

}  // namespace gleaner
