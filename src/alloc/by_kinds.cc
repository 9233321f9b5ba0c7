// SPDX-License-Identifier: Apache-2.0
/// From a problem with kinds of nodes to problems without.
#include "alloc/by_kinds.hh"

#include <algorithm>

#include "alloc/worth.hh"

namespace gleaner::alloc {
namespace {

/// Can each trainer use each node?
bool are_alike(Problem const& problem) {
  auto const is_free = [](Trainer const& t) { return t.usable.empty(); };
  if (std::all_of(problem.trainers.begin(), problem.trainers.end(), is_free))
    return true;
  std::vector<std::uint32_t> kinds;
  for (auto const& node : problem.nodes) kinds.push_back(node.kind);
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  return std::all_of(problem.trainers.begin(), problem.trainers.end(),
                     [&](Trainer const& trainer) {
                       auto const& usable = trainer.usable;
                       return usable.empty() ||
                              std::includes(usable.begin(), usable.end(),
                                            kinds.begin(), kinds.end());
                     });
}

}  // namespace

Result<Decision> ByKinds::allocate(Problem const& problem,
                                   std::chrono::milliseconds limit) {
  if (are_alike(problem)) return whole_->allocate(problem, limit);
  Decision decision;
  decision.plan.resize(problem.trainers.size());
  for (auto const& component : kind_components(problem)) {
    auto const part = solve(component, limit);
    if (!part) return part.error();
    decision.value += part->value;
    decision.bound += part->bound;
    decision.steps += part->steps;
    for (std::size_t i = 0; i < part->plan.size(); ++i)
      for (auto const node : part->plan[i])
        decision.plan[component.trainers[i]].push_back(component.nodes[node]);
  }
  return decision;
}

Result<Decision> ByKinds::solve(KindComponent const& component,
                                std::chrono::milliseconds limit) {
  return component.are_alike ? whole_->allocate(component.problem, limit)
                             : solve_mixed(component);
}

/// With moves where they are needed; without them if that is worth more.
Result<Decision> ByKinds::solve_mixed(KindComponent const& component) {
  auto best = try_once(component);
  if (!best) return best.error();
  auto value = worth_of(component.problem, best->placed);
  auto steps = best->steps;
  auto const bound = best->bound;
  auto const displaced = best->placed.is_displaced;
  if (std::any_of(displaced.begin(), displaced.end(),
                  [](char d) { return d; })) {
    auto still = component;
    freeze(&still, displaced);
    auto staying = try_once(still);
    if (!staying) return staying.error();
    steps += staying->steps;
    auto const stays = worth_of(component.problem, staying->placed);
    if (!(value > stays)) {
      value = stays;
      best = std::move(staying);
    }
  }
  // A policy that knows no bound knows no value either.
  if (bound == 0) return Decision{std::move(best->placed.plan), 0, 0, steps};
  return Decision{std::move(best->placed.plan), value, std::max(bound, value),
                  steps};
}

Result<ByKinds::Tried> ByKinds::try_once(KindComponent const& component) const {
  auto const counts = counts_by_kind(component.problem, component.supply,
                                     parts_.counts, steps_max_);
  if (!counts) return counts.error();
  return Tried{place_by_kind(component, counts->counts, parts_.place),
               counts->bound, counts->steps};
}

double ByKinds::worth_of(Problem const& problem, KindPlan const& plan) const {
  Worth const worth(problem, extras_);
  double sum = predicted_gain(problem, plan.plan, extras_);
  for (std::size_t i = 0; i < plan.plan.size(); ++i)
    if (plan.is_displaced[i]) sum -= worth.swap_cost(problem.trainers[i]);
  return sum;
}

}  // namespace gleaner::alloc
