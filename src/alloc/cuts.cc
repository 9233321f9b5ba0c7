// SPDX-License-Identifier: Apache-2.0
/// From the largest sizes down, until one could matter.
#include "alloc/cuts.hh"

#include <algorithm>

namespace gleaner::alloc {
namespace {

/// Classes begin with so many options, or with some times the mean share of
/// the capacity, and grow by no more than this factor at once: a price that is
/// found with too few options is too low, and asks for too many.
constexpr int first_options = 32;
constexpr int first_shares = 4;
constexpr int widening = 8;

}  // namespace

void Cuts::add(Trainer const* trainer, int most) {
  classes_.push_back({trainer, most, most, nullptr});
}

void Cuts::begin() {
  if (classes_.empty()) return;
  int const share = capacity_ / static_cast<int>(classes_.size());
  int const first = std::max(first_options, first_shares * share);
  for (auto& cut : classes_) {
    if (cut.trainer == nullptr) continue;
    auto const& trainer = *cut.trainer;
    int const least = std::max(
        {first, 2 * trainer.nodes_min, static_cast<int>(trainer.nodes.size())});
    if (cut.most >= std::max(2 * least, int(outlined_sizes_min)))
      cut.made = least;
  }
}

/// The largest size that may be worth as much as `below` at the price.
int Cuts::needed(Class const& cut, WorthBound const& bound, double price,
                 double below) const {
  auto const& stretches = cut.outline->stretches();
  for (auto stretch = stretches.rbegin(); stretch != stretches.rend();
       ++stretch) {
    auto left_out = *stretch;
    left_out.first = std::max(stretch->first, cut.made + 1);
    left_out.last = std::min(stretch->last, cut.most);
    if (stretch->last <= cut.made) return cut.made;
    if (left_out.first <= left_out.last &&
        bound.at_most(left_out, price) >= below)
      return left_out.last;
  }
  return cut.made;
}

bool Cuts::widen(Worth const& worth, double extra, Knapsack const& knapsack,
                 Relaxation const& relaxed) {
  bool is_wider = false;
  // A choice that loses more than what is left is worth at the price is worse
  // than the relaxed one.
  double const loss = relaxed.price * relaxed.left;
  for (std::size_t j = 0; j < classes_.size(); ++j) {
    auto& cut = classes_[j];
    if (cut.made == cut.most) continue;
    if (!cut.outline)
      cut.outline =
          cut.trainer->outline
              ? cut.trainer->outline
              : std::make_shared<SpeedOutline const>(cut.trainer->speed);
    int const chosen = relaxed.choice[j];
    double const best = knapsack.worth(j)[chosen] - relaxed.price * chosen;
    int const wanted =
        std::max(std::min(cut.most, chosen + relaxed.left),
                 needed(cut, WorthBound(worth, *cut.trainer, extra),
                        relaxed.price, best - loss));
    if (wanted <= cut.made) continue;
    cut.made = std::min({wanted, widening * cut.made, cut.most});
    is_wider = true;
  }
  return is_wider;
}

}  // namespace gleaner::alloc
