// SPDX-License-Identifier: Apache-2.0
/// Dense dynamic programming over node counts.
#include "alloc/exact.hh"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "alloc/placement.hh"

namespace gleaner {
namespace {

double speed_at(Trainer const& trainer, int count) {
  if (count < std::max(1, trainer.nodes_min)) return 0;
  assert(static_cast<std::size_t>(count) < trainer.speed.size());
  return trainer.speed[static_cast<std::size_t>(count)];
}

/// f(k) of the header.
double worth(Problem const& problem, Trainer const& trainer, int now, int k) {
  double const cost_s = k > now   ? trainer.expand_s
                        : k < now ? trainer.shrink_s
                                  : 0;
  return problem.forward_looking_s * speed_at(trainer, k) -
         speed_at(trainer, std::min(now, trainer.nodes_max)) * cost_s;
}

/// Having `count` nodes uses up `pool` of the common pool.
struct Choice {
  int count = 0;
  int pool = 0;
  double worth = 0;
};

/// What trainer i may have, in order of preference among what is worth the
/// same: stay as it is, so that a tie moves nobody; else more rather than less.
std::vector<Choice> choices(Problem const& problem, Holdings const& have,
                            std::size_t i) {
  auto const& trainer = problem.trainers[i];
  auto const now = static_cast<int>(have.held[i].size());
  std::vector<Choice> all;
  auto const add = [&](int k) {
    all.push_back(
        {k, std::max(0, k - have.bound[i]), worth(problem, trainer, now, k)});
  };
  int const least = std::max(1, trainer.nodes_min);
  int const most = std::min(trainer.nodes_max, have.pool() + have.bound[i]);
  if (now >= least && now <= most) add(now);
  for (int k = most; k >= least; --k)
    if (k != now) add(k);
  add(0);
  return all;
}

/// The preferred choice with `pool` nodes left, when the trainers after this
/// one make `later[w]` of w nodes.
std::pair<Choice, double> best_of(std::vector<Choice> const& all,
                                  std::vector<double> const& later,
                                  std::size_t pool) {
  constexpr double tie = 1e-9;  // less is rounding, not a reason
  Choice const* best = nullptr;
  double best_sum = 0;
  for (auto const& choice : all) {
    auto const used = static_cast<std::size_t>(choice.pool);
    if (used > pool) continue;
    double const sum = choice.worth + later[pool - used];
    if (best && sum <= best_sum + tie * std::max(1.0, std::abs(best_sum)))
      continue;
    best = &choice;
    best_sum = sum;
  }
  assert(best);  // none at all is always possible
  return {*best, best_sum};
}

/// From the last trainer to the first, so that among equal plans the earliest
/// trainer's preference decides.
std::vector<int> best_counts(Problem const& problem, Holdings const& have) {
  auto const trainers = problem.trainers.size();
  auto const pool = static_cast<std::size_t>(have.pool());
  std::vector<double> later(pool + 1, 0), sums(pool + 1);
  std::vector<std::vector<Choice>> taken(trainers,
                                         std::vector<Choice>(pool + 1));
  for (std::size_t j = trainers; j-- > 0;) {
    auto const all = choices(problem, have, j);
    for (std::size_t w = 0; w <= pool; ++w)
      std::tie(taken[j][w], sums[w]) = best_of(all, later, w);
    std::swap(sums, later);
  }
  std::vector<int> counts;
  auto left = pool;
  for (std::size_t j = 0; j < trainers; ++j) {
    counts.push_back(taken[j][left].count);
    left -= static_cast<std::size_t>(taken[j][left].pool);
  }
  return counts;
}

}  // namespace

Result<Plan> Exact::allocate(Problem const& problem,
                             std::chrono::milliseconds) {
  auto const have = holdings(problem);
  return place(problem, have, best_counts(problem, have));
}

double predicted_gain(Problem const& problem, Plan const& plan) {
  auto const have = holdings(problem);
  double sum = 0;
  for (std::size_t i = 0; i < problem.trainers.size(); ++i) {
    auto const& trainer = problem.trainers[i];
    sum += worth(problem, trainer, static_cast<int>(have.held[i].size()),
                 static_cast<int>(plan[i].size()));
  }
  return sum;
}

}  // namespace gleaner
