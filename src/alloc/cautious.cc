// SPDX-License-Identifier: Apache-2.0
/// Two problems with certain speeds: who keeps and gets what, then who tries.
#include "alloc/cautious.hh"

#include <algorithm>

namespace gleaner::alloc {
namespace {

bool is_uncertain(Trainer const& trainer) { return !trainer.speed_low.empty(); }

std::size_t held(Trainer const& trainer) {
  return std::min(trainer.nodes.size(), trainer.speed.size() - 1);
}

/// What it has counts as expected, what is more as it may be at worst.
void expect_little(Trainer* trainer) {
  auto& speed = trainer->speed;
  auto const now = held(*trainer);
  for (auto k = now + 1; k < speed.size(); ++k)
    speed[k] = std::min(speed[k], trainer->speed_low[k]);
  if (static_cast<int>(now) <= trainer->nodes_tried) return;
  // It is trying this size: that fewer are expected to be better is no reason
  // to stop before it is known.
  trainer->outline.reset();
  for (std::size_t k = 1; k <= now; ++k)
    speed[k] = std::max(speed[k], speed[k - 1]);
}

/// It keeps what it has and gets no more.
void fix(Trainer* trainer) {
  trainer->limit_nodes(static_cast<int>(trainer->nodes.size()));
  trainer->nodes_min = std::max(1, trainer->nodes_max);
}

/// It may grow to where it is known as is expected, and to twice that at the
/// highest hope.
void hope(Trainer const& before, Trainer* trainer) {
  auto const count = static_cast<int>(trainer->nodes.size());
  auto const most =
      std::min(trainer->nodes_max, std::max(2 * trainer->nodes_tried, count));
  if (count == 0 || trainer->nodes.size() < before.nodes.size() ||
      most <= std::max(count, trainer->nodes_tried))
    return fix(trainer);
  trainer->nodes_min = std::max(trainer->nodes_min, count);
  trainer->limit_nodes(most);
  trainer->outline.reset();
  // Up to the largest size that was measured there is nothing to hope for.
  for (auto k =
           static_cast<std::size_t>(std::max(count, trainer->nodes_tried)) + 1;
       k < trainer->speed.size(); ++k)
    trainer->speed[k] = std::max(trainer->speed[k], trainer->speed_high[k]);
  // It is resized anyway.
  if (trainer->nodes.size() > before.nodes.size()) trainer->expand_s = 0;
}

/// The problem of who tries more nodes, when the plan is carried out.
Problem left_over(Problem problem, Plan const& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    auto& trainer = problem.trainers[i];
    auto const before = trainer;
    trainer.nodes = plan[i];
    if (is_uncertain(trainer))
      hope(before, &trainer);
    else
      fix(&trainer);
  }
  return problem;
}

bool anyone_may_try(Problem const& left_over) {
  return std::any_of(left_over.trainers.begin(), left_over.trainers.end(),
                     [](Trainer const& trainer) {
                       return trainer.nodes_max >
                              static_cast<int>(trainer.nodes.size());
                     });
}

/// Nobody pays for what another one tries: not even by leaving all its nodes,
/// which every problem allows.
bool keep_all(Plan const& plan, Plan const& tried) {
  for (std::size_t i = 0; i < plan.size(); ++i)
    if (tried[i].size() < plan[i].size() ||
        !std::equal(plan[i].begin(), plan[i].end(), tried[i].begin()))
      return false;
  return true;
}

bool are_all_taken(Problem const& problem, Plan const& plan) {
  std::size_t taken = 0;
  for (auto const& nodes : plan) taken += nodes.size();
  return taken == problem.nodes.size();
}

}  // namespace

Result<Decision> Cautious::allocate(Problem const& problem,
                                    std::chrono::milliseconds limit) {
  if (std::none_of(problem.trainers.begin(), problem.trainers.end(),
                   is_uncertain))
    return policy_->allocate(problem, limit);
  auto sober = problem;
  for (auto& trainer : sober.trainers)
    if (is_uncertain(trainer)) expect_little(&trainer);
  auto decision = policy_->allocate(sober, limit);
  if (!decision || are_all_taken(problem, decision->plan)) return decision;
  auto const rest = left_over(problem, decision->plan);
  if (!anyone_may_try(rest)) return decision;
  auto tried = policy_->allocate(rest, limit);
  if (!tried) return decision;
  // Value and bound stay those of what is certain.
  decision->steps += tried->steps;
  if (keep_all(decision->plan, tried->plan))
    decision->plan = std::move(tried->plan);
  return decision;
}

}  // namespace gleaner::alloc
