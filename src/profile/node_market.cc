// SPDX-License-Identifier: Apache-2.0
/// Each holder's nodes one by one: what the last one brings, and the next.
#include "profile/node_market.hh"

#include <algorithm>

#include "core/contract.hh"

namespace gleaner::profile {

NodeMarket::NodeMarket(std::vector<Holder> const& holders, int spare)
    : spare_(spare) {
  EXPECT(spare >= 0, spare);
  for (std::size_t i = 0; i < holders.size(); ++i) {
    auto const& holder = holders[i];
    users_.push_back(holder.user);
    auto const& speed = holder.speed;
    int const most = static_cast<int>(speed.size()) - 1;
    if (holder.nodes <= 0 || holder.nodes > most) continue;
    auto const worth = [&](int k) {
      auto const at = static_cast<std::size_t>(k);
      return speed[at] - speed[at - 1];
    };
    // What comes first may not be cheaper or dearer than what comes next, or it
    // would be taken out of turn.
    double last = 0;
    int const least = std::max(holder.nodes_min, holder.nodes - steps_most);
    for (int k = holder.nodes; k > least; --k)
      cheapest_.push_back({i, last = std::max(last, worth(k))});
    last = holder.nodes < most ? worth(holder.nodes + 1) : 0;
    for (int k = holder.nodes + 1;
         k <= std::min(most, holder.nodes + steps_most); ++k)
      dearest_.push_back({i, last = std::clamp(worth(k), 0.0, last)});
  }
  std::stable_sort(cheapest_.begin(), cheapest_.end(),
                   [](auto& a, auto& b) { return a.worth < b.worth; });
  std::stable_sort(dearest_.begin(), dearest_.end(),
                   [](auto& a, auto& b) { return a.worth > b.worth; });
}

std::vector<double> NodeMarket::losses(std::size_t buyer, Of whom) const {
  EXPECT(buyer < users_.size(), buyer, users_.size());
  std::vector<double> sums(static_cast<std::size_t>(spare_) + 1, 0.0);
  for (auto const& step : cheapest_) {
    if (step.holder == buyer) continue;
    if (whom == Of::user && users_[step.holder] != users_[buyer]) continue;
    sums.push_back(sums.back() + step.worth);
  }
  return sums;
}

std::vector<double> NodeMarket::gains(std::size_t seller) const {
  EXPECT(seller < users_.size(), seller, users_.size());
  std::vector<double> sums{0.0};
  for (auto const& step : dearest_)
    if (step.holder != seller) sums.push_back(sums.back() + step.worth);
  return sums;
}

}  // namespace gleaner::profile
