// SPDX-License-Identifier: Apache-2.0
/// From the relaxed choice to the best one.
///
/// 1. The relaxed problem gives a price, a choice that fits, and an upper bound
///    of which that choice falls short by price · left (hulls).
/// 2. Look for moves that lose less than a small gap.  Whatever is found is the
///    best there is; if nothing is found, all lose at least the gap: widen it.
/// 3. The search is a shortest path where moves may be repeated; its result
///    stands if the classes suffice for it, and bounds the dynamic programming
///    over classes if they do not.
#include "alloc/knapsack.hh"

#include <algorithm>
#include <cmath>

#include "alloc/hulls.hh"
#include "alloc/moves.hh"
#include "alloc/repair.hh"
#include "core/contract.hh"

namespace gleaner {
namespace {

/// The first gap looked at, of the greatest possible, and how fast it widens:
/// each gap looks at all options once, and a narrow one keeps few.
constexpr double first_share = 1.0 / 64;
constexpr double widening = 6;

std::vector<int> repaired(Relaxation const& relaxed, Repair const& repair) {
  auto choice = relaxed.choice;
  for (auto const& step : repair.steps) choice[step.index] += step.units;
  return choice;
}

/// Losses below this are rounding errors of the sum.
double rounding(Knapsack const& knapsack, Relaxation const& relaxed) {
  double sum = 0;
  for (std::size_t j = 0; j < knapsack.classes(); ++j)
    sum += std::abs(knapsack.worth(j)[relaxed.choice[j]]);
  return 1e-13 * sum;
}

Effort dense_effort(Knapsack const& knapsack) {
  auto const room = static_cast<double>(knapsack.capacity()) + 1;
  return {room * static_cast<double>(knapsack.options()),
          room * static_cast<double>(knapsack.classes() + 1)};
}

}  // namespace

void Knapsack::reserve(std::size_t classes, std::size_t options) {
  begin_.reserve(classes);
  worth_.reserve(options);
}

double* Knapsack::add_class(int options) {
  EXPECT(options >= 1 && options <= capacity_ + 1, options, capacity_);
  begin_.push_back(worth_.size());
  worth_.resize(worth_.size() + static_cast<std::size_t>(options));
  return worth_.data() + begin_.back();
}

std::vector<int> choose(Knapsack const& knapsack) {
  EXPECT(knapsack.capacity() >= 0, knapsack.capacity());
  auto const relaxed = relax(knapsack);
  if (relaxed.left == 0 || relaxed.price == 0) return relaxed.choice;
  auto known = spend_left(knapsack, relaxed);
  Effort const dense = dense_effort(knapsack);
  Goal goal{relaxed.left, relaxed.price, 0, rounding(knapsack, relaxed)};
  double gap = relaxed.price * relaxed.left * first_share;
  for (;; gap *= widening) {
    goal.gap = std::min(gap, known.loss);
    auto const classes = moves_within(knapsack, relaxed, goal.gap);
    Unbounded const bound(classes, goal);
    if (bound.loss_from(0) < goal.gap - goal.tolerance) {
      auto path = bound.path(classes);
      if (path && path->loss < known.loss) known = std::move(*path);
      goal.gap = std::min(gap, known.loss);
      bool over_limit = false;
      auto repair = best_repair(classes, bound, goal, dense, &over_limit);
      if (over_limit) return choose_dense(knapsack);
      if (repair) known = std::move(*repair);
    }
    // All that was not looked at loses at least the gap.
    if (known.loss <= gap) return repaired(relaxed, known);
  }
}

}  // namespace gleaner
