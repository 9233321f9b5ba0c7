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
/// 4. When the steps are spent, the best that is known is the answer.  It falls
///    short of the upper bound by what it loses; the best of all loses no less
///    than what all moves were shown to lose.
#include "alloc/knapsack.hh"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "alloc/hulls.hh"
#include "alloc/moves.hh"
#include "alloc/repair.hh"
#include "core/contract.hh"

namespace gleaner::alloc {
namespace {

/// The first gap looked at, of the greatest possible, and how fast it widens:
/// each gap looks at all options once, and a narrow one keeps few.
constexpr double first_share = 1.0 / 64;
constexpr double widening = 6;

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

void Knapsack::clear() {
  begin_.clear();
  worth_.clear();
}

double* Knapsack::add_class(int options) {
  EXPECT(options >= 1 && options <= capacity_ + 1, options, capacity_);
  begin_.push_back(worth_.size());
  worth_.resize(worth_.size() + static_cast<std::size_t>(options));
  return worth_.data() + begin_.back();
}

namespace {

/// The search for what loses less than the relaxed choice with its slack.
class Refinement {
 public:
  Refinement(Knapsack const& knapsack, Relaxation const& relaxed, Work* work)
      : knapsack_(knapsack),
        relaxed_(relaxed),
        work_(*work),
        dense_(dense_effort(knapsack)),
        tolerance_(rounding(knapsack, relaxed)),
        known_(spend_left(knapsack, relaxed, work)) {}

  /// Until the best is known, or the steps are spent.
  void run() {
    double gap = relaxed_.price * relaxed_.left * first_share;
    while (!is_proven() && look_within(gap)) gap *= widening;
  }

  /// All choices lose as much as the one that is known.
  bool is_proven() const {
    return dense_choice_ || known_.loss <= proven_loss_;
  }

  std::vector<int> choice() const {
    if (dense_choice_) return *dense_choice_;
    auto choice = relaxed_.choice;
    for (auto const& step : known_.steps) choice[step.index] += step.units;
    return choice;
  }

  /// What every choice loses at least, of the relaxed problem's worth.
  double loss_at_least() const {
    return std::max(0.0, proven_loss_ - tolerance_);
  }

 private:
  /// False: the steps are spent.
  bool look_within(double gap) {
    if (!work_.take(static_cast<double>(knapsack_.options()))) return false;
    Goal goal{relaxed_.left, relaxed_.price, std::min(gap, known_.loss),
              tolerance_};
    auto const classes = moves_within(knapsack_, relaxed_, goal.gap);
    Unbounded const bound(classes, goal, &work_);
    prove(bound.loss_from(0));
    if (!bound.is_complete()) return false;
    if (bound.loss_from(0) < goal.gap - tolerance_ &&
        !repair(classes, bound, goal))
      return false;
    prove(std::min(gap, known_.loss));
    return true;
  }

  void prove(double loss) { proven_loss_ = std::max(proven_loss_, loss); }

  /// Of the moves the best that lose less than the goal's gap.
  bool repair(std::vector<MovableClass> const& classes, Unbounded const& bound,
              Goal goal) {
    if (!work_.take(path_effort(classes))) return false;
    auto path = bound.path(classes);
    if (path && path->loss < known_.loss) known_ = std::move(*path);
    goal.gap = std::min(goal.gap, known_.loss);
    Effort const most{std::min(dense_.steps, work_.left()), dense_.states};
    auto found = best_repair(classes, bound, goal, most);
    work_.take(found.steps);
    if (found.repair && found.repair->loss < known_.loss)
      known_ = std::move(*found.repair);
    if (found.is_complete) return true;
    if (!work_.take(dense_.steps)) return false;
    dense_choice_ = choose_dense(knapsack_);
    return true;
  }

  /// Of finding the moves of a path, and of sorting moves before a search.
  static double path_effort(std::vector<MovableClass> const& classes) {
    constexpr double looks_at_a_move = 32;
    double moves = 0;
    for (auto const& movable : classes)
      moves += static_cast<double>(movable.moves.size());
    return looks_at_a_move * moves;
  }

  Knapsack const& knapsack_;
  Relaxation const& relaxed_;
  Work& work_;
  Effort const dense_;
  double const tolerance_;
  Repair known_;
  double proven_loss_ = 0;
  std::optional<std::vector<int>> dense_choice_;
};

/// What the relaxed choice would be worth if the rest could be spent at the
/// price: no choice is worth more.
double relaxed_worth(Knapsack const& knapsack, Relaxation const& relaxed) {
  return worth_of(knapsack, relaxed.choice) + relaxed.price * relaxed.left;
}

}  // namespace

Choice choose(Knapsack const& knapsack, double steps_max) {
  return choose(knapsack, relax(knapsack), steps_max);
}

Choice choose(Knapsack const& knapsack, Relaxation const& relaxed,
              double steps_max) {
  EXPECT(knapsack.capacity() >= 0, knapsack.capacity());
  Choice choice;
  if (relaxed.left == 0 || relaxed.price == 0) {
    choice.options = relaxed.choice;
    choice.value = choice.bound = worth_of(knapsack, choice.options);
    return choice;
  }
  Work work(steps_max);
  Refinement refinement(knapsack, relaxed, &work);
  refinement.run();
  choice.options = refinement.choice();
  choice.value = worth_of(knapsack, choice.options);
  choice.bound = refinement.is_proven()
                     ? choice.value
                     : std::max(choice.value, relaxed_worth(knapsack, relaxed) -
                                                  refinement.loss_at_least());
  choice.steps = work.done();
  return choice;
}

}  // namespace gleaner::alloc
