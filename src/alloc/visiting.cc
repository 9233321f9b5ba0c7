// SPDX-License-Identifier: Apache-2.0
/// Growing is another problem, shrinking another plan.
#include "alloc/visiting.hh"

#include <algorithm>

namespace gleaner::alloc {
namespace {

/// A visit is worth more than any plan without it: that it pays was decided.
constexpr double before_all = 1000;

int held(Problem const& problem, std::size_t i) {
  return static_cast<int>(problem.trainers[i].nodes.size());
}

/// It gets so many nodes, and those that keep theirs do.
void demand(VisitedSize const& visit, Problem* problem) {
  auto& visitor = problem->trainers[visit.trainer];
  visitor.limit_nodes(visit.nodes);
  visitor.nodes_min = visit.nodes;
  visitor.weight *= before_all;
  visitor.speed_low.clear();
  visitor.speed_high.clear();
  for (std::size_t i = 0; i < visit.keeps.size(); ++i)
    if (visit.keeps[i] && i != visit.trainer)
      problem->trainers[i].nodes_min =
          std::max(problem->trainers[i].nodes_min,
                   std::min(held(*problem, i), problem->trainers[i].nodes_max));
}

/// Each trainer that runs has its minimum, and those that keep their nodes have
/// them.
bool harms_nobody(Problem const& problem, Problem const& demanded,
                  Plan const& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i)
    if (held(problem, i) >= problem.trainers[i].nodes_min &&
        static_cast<int>(plan[i].size()) < demanded.trainers[i].nodes_min)
      return false;
  return true;
}

bool outlast(Problem const& problem, std::vector<NodeIndex> const& nodes,
             std::size_t count, double needs_s) {
  return std::none_of(nodes.begin(),
                      nodes.begin() + static_cast<std::ptrdiff_t>(count),
                      [&](NodeIndex node) {
                        auto const& hole_s = problem.nodes[node].hole_s;
                        return hole_s && *hole_s < needs_s;
                      });
}

}  // namespace

VisitedPlan with_visits(Plan plan, Allocator& policy, Problem const& problem,
                        std::vector<VisitedSize> const& visits,
                        std::chrono::milliseconds limit) {
  VisitedPlan result{std::move(plan), std::vector<bool>(visits.size())};
  auto demanded = problem;
  // One after the other: one that cannot be granted spoils no other.
  for (std::size_t v = 0; v < visits.size(); ++v) {
    auto const& visit = visits[v];
    if (visit.nodes <= static_cast<int>(result.plan[visit.trainer].size()))
      continue;
    auto tried = demanded;
    demand(visit, &tried);
    auto other = policy.allocate(tried, limit);
    if (!other ||
        static_cast<int>(other->plan[visit.trainer].size()) != visit.nodes ||
        !harms_nobody(problem, tried, other->plan) ||
        !outlast(problem, other->plan[visit.trainer],
                 static_cast<std::size_t>(visit.nodes), visit.needs_s))
      continue;
    demanded = std::move(tried);
    result.plan = std::move(other->plan);
  }
  for (std::size_t v = 0; v < visits.size(); ++v) {
    auto& nodes = result.plan[visits[v].trainer];
    auto const most = static_cast<std::size_t>(visits[v].nodes);
    result.granted[v] = nodes.size() >= most &&
                        outlast(problem, nodes, most, visits[v].needs_s);
    if (result.granted[v]) nodes.resize(most);
  }
  return result;
}

}  // namespace gleaner::alloc
