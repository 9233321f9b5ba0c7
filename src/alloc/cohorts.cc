// SPDX-License-Identifier: Apache-2.0
/// Dealing cohorts.
#include "alloc/cohorts.hh"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "core/contract.hh"

namespace gleaner::alloc {
namespace {

/// What nodes of one cohort share, the most stable first.
struct Stability {
  double hole_s = 0;
  double idle_s = 0;

  explicit Stability(Node const& node)
      : hole_s(node.hole_s.value_or(std::numeric_limits<double>::infinity())),
        idle_s(node.idle_s) {}
  bool operator==(Stability const&) const = default;
  bool operator<(Stability const& other) const {
    return std::tie(hole_s, idle_s) > std::tie(other.hole_s, other.idle_s);
  }
};

/// `hand` with what the trainer has in front, in its old order.
std::vector<NodeIndex> kept_first(std::vector<NodeIndex> const& has,
                                  std::vector<NodeIndex> hand) {
  std::vector<NodeIndex> sorted_has(has), sorted_hand(hand), result;
  std::sort(sorted_has.begin(), sorted_has.end());
  std::sort(sorted_hand.begin(), sorted_hand.end());
  auto const in = [](std::vector<NodeIndex> const& sorted, NodeIndex node) {
    return std::binary_search(sorted.begin(), sorted.end(), node);
  };
  for (auto const node : has)
    if (in(sorted_hand, node)) result.push_back(node);
  for (auto const node : hand)
    if (!in(sorted_has, node)) result.push_back(node);
  return result;
}

/// The nodes dealt again.
class Deck {
 public:
  Deck(Problem const& problem, std::vector<NodeIndex> const& nodes)
      : cohort_end_(nodes.size()), holder_(problem.nodes.size(), nobody) {
    std::vector<std::pair<Stability, NodeIndex>> cards;
    cards.reserve(nodes.size());
    for (auto const node : nodes)
      cards.emplace_back(Stability(problem.nodes[node]), node);
    std::sort(cards.begin(), cards.end());
    for (auto const& card : cards) nodes_.push_back(card.second);
    for (std::size_t n = cards.size(); n-- > 0;)
      cohort_end_[n] =
          n + 1 < cards.size() && cards[n].first == cards[n + 1].first
              ? cohort_end_[n + 1]
              : n + 1;
    for (std::size_t i = 0; i < problem.trainers.size(); ++i)
      for (auto const node : problem.trainers[i].nodes) holder_[node] = i;
  }

  /// The next `count` nodes; of a cohort that is not taken whole, first those
  /// that trainer i holds.
  std::vector<NodeIndex> deal(std::size_t i, int count) {
    EXPECT(
        count >= 0 && next_ + static_cast<std::size_t>(count) <= nodes_.size(),
        i, count, next_, nodes_.size());
    auto const end = next_ + static_cast<std::size_t>(count);
    if (end > next_) {
      auto const last = cohort_begin(end - 1);
      std::stable_partition(
          nodes_.begin() + static_cast<std::ptrdiff_t>(last),
          nodes_.begin() + static_cast<std::ptrdiff_t>(cohort_end_[end - 1]),
          [&](NodeIndex node) { return holder_[node] == i; });
    }
    std::vector<NodeIndex> hand(
        nodes_.begin() + static_cast<std::ptrdiff_t>(next_),
        nodes_.begin() + static_cast<std::ptrdiff_t>(end));
    next_ = end;
    return hand;
  }

 private:
  static constexpr auto nobody = std::numeric_limits<std::size_t>::max();

  /// Of the part of the cohort that is still there.
  std::size_t cohort_begin(std::size_t n) const {
    while (n > next_ && cohort_end_[n - 1] == cohort_end_[n]) --n;
    return n;
  }

  std::vector<NodeIndex> nodes_;
  std::vector<std::size_t> cohort_end_;
  std::vector<std::size_t> holder_;
  std::size_t next_ = 0;
};

}  // namespace

Plan place_cohorts(Problem const& problem, Holdings const& holdings,
                   std::vector<int> const& counts, Swaps swaps) {
  EXPECT(holdings.bound.size() == problem.trainers.size(),
         holdings.bound.size(), problem.trainers.size());
  auto plan = place(problem, holdings, counts);
  std::vector<NodeIndex> dealt;  // all that growing trainers may have
  std::vector<std::size_t> growing;
  std::vector<char> is_used(problem.nodes.size(), 0);
  for (std::size_t i = 0; i < plan.size(); ++i)
    if (plan[i].size() > problem.trainers[i].nodes.size()) {
      growing.push_back(i);
      if (swaps == Swaps::no)
        for (auto const node : problem.trainers[i].nodes) is_used[node] = 1;
    } else {
      for (auto const node : plan[i]) is_used[node] = 1;
    }
  for (NodeIndex node = 0; node < is_used.size(); ++node)
    if (!is_used[node] && is_lendable(problem, node)) dealt.push_back(node);
  std::stable_sort(growing.begin(), growing.end(),
                   [&](std::size_t a, std::size_t b) {
                     return plan[a].size() > plan[b].size();
                   });
  Deck deck(problem, std::move(dealt));
  for (auto const i : growing) {
    auto const& held = holdings.held[i];
    auto const kept =
        swaps == Swaps::no ? static_cast<int>(held.size()) : holdings.bound[i];
    auto hand = deck.deal(i, static_cast<int>(plan[i].size()) - kept);
    hand.insert(hand.end(), held.begin(), held.begin() + kept);
    plan[i] = kept_first(problem.trainers[i].nodes, std::move(hand));
  }
  return plan;
}

}  // namespace gleaner::alloc
