// SPDX-License-Identifier: Apache-2.0
#include "profile/profile_budget.hh"

#include <algorithm>

#include "core/contract.hh"

namespace gleaner::profile {
namespace {

/// Most is learned when trainings are new, so that much may be spent ahead.
constexpr double ahead_s = 3600;

}  // namespace

bool ProfileBudget::allows(std::string const& user, double node_s, int nodes,
                           int users) const {
  EXPECT(nodes >= 0 && users >= 0, nodes, users);
  if (share_ <= 0) return false;
  double const most = share_ * (lent_node_s_ + ahead_s * nodes);
  auto const found = spent_by_.find(user);
  double const by_user = found == spent_by_.end() ? 0 : found->second;
  return spent_node_s_ + node_s <= most &&
         by_user + node_s <= most / std::max(1, users);
}

void ProfileBudget::spend(std::string const& user, double node_s) {
  spent_node_s_ += node_s;
  spent_by_[user] += node_s;
}

}  // namespace gleaner::profile
