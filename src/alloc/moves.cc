// SPDX-License-Identifier: Apache-2.0
/// Striking what cannot be part of a better choice.
#include "alloc/moves.hh"

#include <algorithm>
#include <queue>

#include "core/contract.hh"

namespace gleaner::alloc {
namespace {

/// price · 0, price · 1, …: shared by all classes.
std::vector<double> price_list(Knapsack const& knapsack, double price) {
  std::vector<double> list;
  for (int c = 0; c <= knapsack.capacity(); ++c) list.push_back(price * c);
  return list;
}

/// Is there an option c of [from, from + block) with worth − price > least?
/// Written to be compiled into few vector instructions.
constexpr int block = 16;
bool any_above(double const* worth, double const* prices, double least) {
  int count = 0;
  for (int c = 0; c < block; ++c) count += worth[c] - prices[c] > least;
  return count != 0;
}

/// The moves of one class.
class Scan {
 public:
  Scan(Knapsack const& knapsack, std::size_t j, int chosen,
       std::vector<double> const& prices, double gap)
      : worth_(knapsack.worth(j)),
        prices_(prices),
        chosen_(chosen),
        most_(worth_[chosen] - prices[chosen]),
        least_(most_ - gap) {
    int const options = knapsack.options(j);
    int c = 0;
    for (; c + block <= options; c += block)
      if (any_above(worth_ + c, prices.data() + c, least_)) look(c, c + block);
    look(c, options);
  }

  std::vector<Move> take() { return std::move(moves_); }

 private:
  /// An option with fewer units that is worth as much dominates; it has been
  /// seen, because it loses less.
  void look(int from, int to) {
    for (int c = from; c < to; ++c) {
      double const rest = worth_[c] - prices_[c];
      if (!(rest > least_) || worth_[c] <= best_) continue;
      best_ = worth_[c];
      if (c != chosen_)
        moves_.push_back({c - chosen_, std::max(0.0, most_ - rest)});
    }
  }

  double const* worth_;
  std::vector<double> const& prices_;
  int chosen_;
  double most_, least_;
  double best_ = not_an_option;
  std::vector<Move> moves_;
};

/// The steepest way up of a class, given its option and what is left.
struct Upgrade {
  double slope = 0;
  std::size_t index = 0;
  int units = 0;
  bool operator<(Upgrade const& other) const {
    return slope != other.slope ? slope < other.slope : index > other.index;
  }
};

Upgrade steepest(Knapsack const& knapsack, std::size_t j, int chosen,
                 int left) {
  Upgrade best;
  best.index = j;
  auto const* worth = knapsack.worth(j);
  int const most = std::min(knapsack.options(j) - 1, chosen + left);
  for (int c = chosen + 1; c <= most; ++c) {
    double const slope = (worth[c] - worth[chosen]) / (c - chosen);
    if (slope > best.slope) best.slope = slope, best.units = c - chosen;
  }
  return best;
}

}  // namespace

std::vector<MovableClass> moves_within(Knapsack const& knapsack,
                                       Relaxation const& relaxed, double gap) {
  EXPECT(relaxed.choice.size() == knapsack.classes(), relaxed.choice.size(),
         knapsack.classes());
  auto const prices = price_list(knapsack, relaxed.price);
  std::vector<MovableClass> result;
  for (std::size_t j = 0; j < knapsack.classes(); ++j) {
    Scan scan(knapsack, j, relaxed.choice[j], prices, gap);
    auto moves = scan.take();
    if (!moves.empty()) result.push_back({j, std::move(moves)});
  }
  return result;
}

Repair spend_left(Knapsack const& knapsack, Relaxation const& relaxed,
                  Work* work) {
  auto choice = relaxed.choice;
  int left = relaxed.left;
  std::priority_queue<Upgrade> upgrades;
  auto const offer = [&](std::size_t j) {
    if (!work->take(std::min(left, knapsack.options(j)))) return;
    auto const upgrade = steepest(knapsack, j, choice[j], left);
    if (upgrade.units > 0) upgrades.push(upgrade);
  };
  for (std::size_t j = 0; j < choice.size(); ++j) offer(j);
  double gained = 0;
  while (left > 0 && !upgrades.empty()) {
    auto const upgrade = upgrades.top();
    upgrades.pop();
    if (upgrade.units <= left) {
      choice[upgrade.index] += upgrade.units;
      left -= upgrade.units;
      gained += upgrade.slope * upgrade.units;
    }
    offer(upgrade.index);
  }
  Repair repair;
  ENSURE(left >= 0, left, relaxed.left);
  repair.loss = std::max(0.0, relaxed.price * relaxed.left - gained);
  for (std::size_t j = 0; j < choice.size(); ++j)
    if (choice[j] != relaxed.choice[j])
      repair.steps.push_back({j, choice[j] - relaxed.choice[j]});
  return repair;
}

}  // namespace gleaner::alloc
