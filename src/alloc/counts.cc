// SPDX-License-Identifier: Apache-2.0
/// From trainers to classes of a knapsack, and back.
#include "alloc/counts.hh"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "alloc/cuts.hh"
#include "alloc/hulls.hh"
#include "alloc/knapsack.hh"
#include "alloc/worth.hh"
#include "core/contract.hh"

namespace gleaner::alloc {
namespace {

/// What staying as it is, and having one more node, is worth to a trainer
/// beyond everything else, as a part of what the fastest trainer earns: enough
/// to decide ties, too little to decide anything else.
constexpr double stay_bonus = 1e-8;
constexpr double more_bonus = 1e-13;

/// What a trainer loses, in multiples of the most it can gain, by a count that
/// is forbidden but there.
constexpr double far_out = 1e7;

using Members = std::vector<std::size_t>;  // places in Problem::trainers

/// The classes of a knapsack, one for each of some trainers, and what options
/// mean.
class Classes {
 public:
  /// `pool`: how many nodes there are for them beyond those bound.
  Classes(Problem const& problem, Holdings const& holdings, Members members,
          int pool, Worth::Wishes wishes, AllocatorOptions const& options)
      : problem_(problem),
        holdings_(holdings),
        worth_(problem, options.extras, wishes),
        pool_(pool),
        change_max_(options.cap_change
                        ? (static_cast<int>(problem.nodes.size()) + 1) / 2
                        : static_cast<int>(problem.nodes.size())),
        knapsack_(pool),
        cuts_(pool),
        order_(std::move(members)) {
    if (options.extras.work_left_first && problem.trainers_waiting == 0)
      most_work_left_first();
    for (auto const i : order_) {
      scale_ = std::max(scale_, worth_.at_most(problem.trainers[i]));
      bool const is_cut = holdings.bound[i] == 0;
      cuts_.add(is_cut ? &problem.trainers[i] : nullptr, most(i));
    }
    if (scale_ == 0) scale_ = 1;
    cuts_.begin();
  }

  /// Writes their counts into those of all trainers.
  Choice choose_counts(double steps_max, std::vector<int>* counts) {
    Relaxation relaxed;
    do {
      make_classes();
      relaxed = relax(knapsack_);
    } while (cuts_.widen(worth_, more_bonus * scale_, knapsack_, relaxed));
    auto result = choose(knapsack_, relaxed, steps_max);
    auto const& choice = result.options;
    for (std::size_t j = 0; j < order_.size(); ++j) {
      auto const i = order_[j];
      (*counts)[i] =
          choice[j] == 0 ? without_pool_[j] : choice[j] + holdings_.bound[i];
    }
    return result;
  }

 private:
  void most_work_left_first() {
    std::vector<double> left_s(problem_.trainers.size());
    for (auto const i : order_) left_s[i] = work_left_s(problem_.trainers[i]);
    std::stable_sort(
        order_.begin(), order_.end(),
        [&](std::size_t a, std::size_t b) { return left_s[a] > left_s[b]; });
  }

  /// The most nodes that a trainer can have.
  int most(std::size_t i) const {
    auto const& trainer = problem_.trainers[i];
    int const most = std::min(trainer.nodes_max, pool_ + holdings_.bound[i]);
    return most < trainer.nodes_min ? 0 : most;
  }

  void make_classes() {
    std::size_t count = 0;
    for (std::size_t j = 0; j < order_.size(); ++j)
      count += 1 + static_cast<std::size_t>(cuts_.most(j));
    knapsack_.clear();
    knapsack_.reserve(order_.size(), count);
    without_pool_.clear();
    for (std::size_t j = 0; j < order_.size(); ++j)
      add(order_[j], cuts_.most(j));
  }

  void add(std::size_t i, int most) {
    auto const& trainer = problem_.trainers[i];
    int const bound = holdings_.bound[i];
    if (bound == 0) {
      list(trainer, most, knapsack_.add_class(most + 1));
      without_pool_.push_back(0);
      return;
    }
    bound_list_.resize(static_cast<std::size_t>(most) + 1);
    list(trainer, most, bound_list_.data());
    auto const free = bound_list_.begin() + std::min(bound, most) + 1;
    auto const best = std::max_element(bound_list_.begin(), free);
    without_pool_.push_back(static_cast<int>(best - bound_list_.begin()));
    auto* const worth =
        knapsack_.add_class(1 + static_cast<int>(bound_list_.end() - free));
    worth[0] = *best;
    std::copy(free, bound_list_.end(), worth + 1);
  }

  void list(Trainer const& trainer, int most, double* worth) const {
    worth_.list(trainer, most, worth);
    int const now = static_cast<int>(trainer.nodes.size());
    double const more = more_bonus * scale_;
    for (int k = 1; k <= most; ++k) worth[k] += more * k;
    // Waiting is not a state to stay in.
    if (now > 0 && now <= most) worth[now] += stay_bonus * scale_;
    forbid(trainer, most, worth);
  }

  /// Counts that it may not have.  None is the last resort: it is always
  /// there, and far out of bounds only when others are within them.
  void forbid(Trainer const& trainer, int most, double* worth) const {
    int const now = static_cast<int>(trainer.nodes.size());
    int const least = std::max({1, trainer.nodes_min, now - change_max_});
    int const last = std::min(most, now + change_max_);
    std::fill(worth + 1, worth + std::min(least, most + 1), not_an_option);
    std::fill(worth + std::max(1, last + 1), worth + most + 1, not_an_option);
    if (least <= last && now > change_max_) worth[0] = -far_out * scale_;
  }

  Problem const& problem_;
  Holdings const& holdings_;
  Worth const worth_;
  int const pool_;
  int const change_max_;
  Knapsack knapsack_;
  Cuts cuts_;
  Members order_;                  // trainer of each class
  std::vector<int> without_pool_;  // nodes that option 0 of a class stands for
  double scale_ = 0;               // what the fastest trainer earns
  std::vector<double> bound_list_;
};

std::map<std::uint32_t, Members> by_owner(Problem const& problem) {
  std::map<std::uint32_t, Members> owners;
  for (std::size_t i = 0; i < problem.trainers.size(); ++i)
    owners[problem.trainers[i].owner].push_back(i);
  return owners;
}

/// Would weights and deadlines share out their nodes in another way?
bool have_wishes(Problem const& problem, Members const& members) {
  auto const& first = problem.trainers[members.front()];
  return members.size() > 1 &&
         std::any_of(members.begin(), members.end(), [&](std::size_t i) {
           auto const& trainer = problem.trainers[i];
           return trainer.weight != first.weight || trainer.deadline_s;
         });
}

/// The nodes of the pool that they have by these counts.
int pool_of(Holdings const& holdings, Members const& members,
            std::vector<int> const& counts) {
  int pool = 0;
  for (auto const i : members)
    pool += std::max(0, counts[i] - holdings.bound[i]);
  return pool;
}

}  // namespace

Counts best_counts(Problem const& problem, Holdings const& holdings,
                   AllocatorOptions const& options, double steps_max) {
  EXPECT(holdings.bound.size() == problem.trainers.size() && holdings.pool >= 0,
         holdings.bound.size(), problem.trainers.size(), holdings.pool);
  using Wishes = Worth::Wishes;
  Counts best;
  best.counts.resize(problem.trainers.size());
  auto const owners = by_owner(problem);
  Members all(problem.trainers.size());
  std::iota(all.begin(), all.end(), 0);
  bool const alone = owners.size() <= 1;
  auto const choice = Classes(problem, holdings, std::move(all), holdings.pool,
                              alone ? Wishes::heeded : Wishes::ignored, options)
                          .choose_counts(steps_max, &best.counts);
  best.value = choice.value;
  best.bound = choice.bound;
  best.steps = choice.steps;
  if (alone || !options.extras.normalise) return best;
  for (auto const& [owner, members] : owners) {
    if (!have_wishes(problem, members)) continue;
    auto const pool = pool_of(holdings, members, best.counts);
    auto const shared =
        Classes(problem, holdings, members, pool, Wishes::heeded, options)
            .choose_counts(steps_max - best.steps, &best.counts);
    best.bound += shared.bound - shared.value;
    best.steps += shared.steps;
  }
  return best;
}

}  // namespace gleaner::alloc
