// SPDX-License-Identifier: Apache-2.0
#include "sim/visits.hh"

#include <algorithm>
#include <chrono>
#include <limits>

#include "alloc/visiting.hh"

namespace gleaner::sim {
namespace {

constexpr std::chrono::milliseconds solve_limit{10000};

double hole_s(alloc::Problem const& problem,
              std::vector<alloc::NodeIndex> const& nodes) {
  double least = std::numeric_limits<double>::infinity();
  for (auto const node : nodes)
    least = std::min(least, problem.nodes[node].hole_s.value_or(least));
  return least;
}

}  // namespace

alloc::Plan Visits::change(alloc::Plan plan, alloc::Problem const& problem,
                           std::vector<Trainer> const& trainers,
                           Knowledge const& knowledge,
                           alloc::Allocator& allocator, double now_s) {
  if (share_ <= 0) return plan;
  profile::ProfileDesk::Present present;
  present.now_s = now_s;
  std::size_t planned = 0;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    planned += plan[i].size();
    auto subject = knowledge.subject(trainers[i], now_s);
    if (!subject) continue;
    auto const& asked = problem.trainers[i];
    subject->nodes = static_cast<int>(plan[i].size());
    subject->costs = {asked.expand_s, asked.shrink_s, asked.start_s, 0};
    subject->hole_s = hole_s(problem, plan[i]);
    present.subjects.push_back(std::move(*subject));
  }
  present.spare = static_cast<int>(problem.nodes.size() - planned);
  for (auto const& end : desk_.update(present)) note(end);
  std::vector<alloc::VisitedSize> sizes;
  for (std::size_t i = 0; i < plan.size(); ++i)
    if (auto const visit = desk_.visits().find(problem.trainers[i].id);
        visit != desk_.visits().end())
      sizes.push_back(
          {i, visit->second.nodes, {}, visit->second.until_s - now_s});
  if (sizes.empty()) return plan;
  auto visited = alloc::with_visits(std::move(plan), allocator, problem, sizes,
                                    solve_limit);
  for (std::size_t v = 0; v < sizes.size(); ++v)
    if (!visited.granted[v])
      if (auto const end =
              desk_.interrupt(problem.trainers[sizes[v].trainer].id, now_s))
        note(*end);
  return std::move(visited.plan);
}

void Visits::note(profile::VisitEnd const& end) {
  ++(end.how == profile::VisitEnd::How::measured ? made_ : given_up_);
}

std::optional<double> Visits::next_s() const {
  std::optional<double> next;
  for (auto const& [id, visit] : desk_.visits())
    next = std::min(next.value_or(visit.until_s), visit.until_s);
  return next;
}

}  // namespace gleaner::sim
