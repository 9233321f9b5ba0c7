// SPDX-License-Identifier: Apache-2.0
/// Cutting a Problem down to the caps.
#include "daemon/decisions/caps.hh"

#include <algorithm>
#include <limits>
#include <map>

namespace gleaner::daemon {
namespace {

/// What the caps leave to users and accounts.
class Room {
 public:
  explicit Room(Config const& config)
      : user_max_(config.leases_per_user_max),
        account_max_(config.leases_per_account_max) {}

  int left(Owner const& owner) const {
    return std::min(left(users_, owner.uid, user_max_),
                    left(accounts_, owner.account,
                         owner.account.empty() ? 0 : account_max_));
  }

  void take(Owner const& owner, int nodes) {
    users_[owner.uid] += nodes;
    accounts_[owner.account] += nodes;
  }

 private:
  template <class Key>
  static int left(std::map<Key, int> const& taken, Key const& key, int most) {
    if (most == 0) return std::numeric_limits<int>::max();
    auto const found = taken.find(key);
    return most - (found == taken.end() ? 0 : found->second);
  }

  int user_max_;
  int account_max_;
  std::map<Uid, int> users_;
  std::map<std::string, int> accounts_;
};

/// Nodes for each trainer within the caps; 0: left out.
std::vector<int> shares(Config const& config, std::vector<Owner> const& owners,
                        std::vector<alloc::Trainer> const& trainers) {
  Room room(config);
  std::vector<int> share(trainers.size(), 0);
  for (std::size_t i = 0; i < trainers.size(); ++i) {
    if (trainers[i].nodes_min > room.left(owners[i])) continue;
    share[i] = trainers[i].nodes_min;
    room.take(owners[i], share[i]);
  }
  for (bool dealt = true; dealt;) {
    dealt = false;
    for (std::size_t i = 0; i < trainers.size(); ++i) {
      if (share[i] == 0 || share[i] >= trainers[i].nodes_max ||
          room.left(owners[i]) == 0)
        continue;
      ++share[i];
      room.take(owners[i], 1);
      dealt = true;
    }
  }
  return share;
}

void cap_owners(Config const& config, std::vector<Owner>* owners,
                alloc::Problem* problem) {
  auto& trainers = problem->trainers;
  auto const share = shares(config, *owners, trainers);
  std::vector<alloc::Trainer> kept;
  std::vector<Owner> kept_owners;
  for (std::size_t i = 0; i < trainers.size(); ++i) {
    if (share[i] == 0) continue;
    auto& trainer = trainers[i];
    trainer.limit_nodes(share[i]);
    kept.push_back(std::move(trainer));
    kept_owners.push_back(std::move((*owners)[i]));
  }
  trainers = std::move(kept);
  *owners = std::move(kept_owners);
}

/// Keep the first `cap` nodes, those that trainers have before all others.
void cap_nodes(std::size_t cap, alloc::Problem* problem) {
  std::vector<bool> used(problem->nodes.size(), false);
  for (auto const& trainer : problem->trainers)
    for (auto const node : trainer.nodes) used[node] = true;
  auto room = cap;
  std::vector<bool> kept(problem->nodes.size(), false);
  for (bool const wanted : {true, false})
    for (std::size_t i = 0; i < used.size() && room > 0; ++i)
      if (used[i] == wanted) kept[i] = true, --room;
  std::vector<alloc::NodeIndex> place(problem->nodes.size());
  std::vector<alloc::Node> nodes;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    place[i] = static_cast<alloc::NodeIndex>(nodes.size());
    nodes.push_back(std::move(problem->nodes[i]));
  }
  problem->nodes = std::move(nodes);
  for (auto& trainer : problem->trainers) {
    std::erase_if(trainer.nodes,
                  [&](alloc::NodeIndex node) { return !kept[node]; });
    for (auto& node : trainer.nodes) node = place[node];
  }
}

}  // namespace

void apply_caps(Config const& config, std::vector<Owner>* owners,
                alloc::Problem* problem) {
  if (config.leases_per_user_max > 0 || config.leases_per_account_max > 0)
    cap_owners(config, owners, problem);
  auto const cap = static_cast<std::size_t>(config.leases_max);
  if (cap > 0 && problem->nodes.size() > cap) cap_nodes(cap, problem);
}

std::string cap_reached(Config const& config, LeaseTable const& leases,
                        Roster const& roster, Owner const& owner) {
  auto const is_of_user = [&](Lease const& lease) {
    return lease.uid == owner.uid;
  };
  auto const is_of_account = [&](Lease const& lease) {
    auto const* trainer = roster.find(lease.trainer);
    return trainer && trainer->base.account == owner.account;
  };
  auto const is_reached = [&](int most, auto const& counts) {
    auto const& all = leases.all();
    return most > 0 &&
           std::count_if(all.begin(), all.end(), [&](auto const& entry) {
             return counts(entry.second);
           }) >= most;
  };
  auto const said = [](char const* key, int most) {
    return std::string(key) + " (" + std::to_string(most) + ")";
  };
  if (is_reached(config.leases_max, [](Lease const&) { return true; }))
    return said("leases_max", config.leases_max);
  if (is_reached(config.leases_per_user_max, is_of_user))
    return said("leases_per_user_max", config.leases_per_user_max);
  if (!owner.account.empty() &&
      is_reached(config.leases_per_account_max, is_of_account))
    return said("leases_per_account_max", config.leases_per_account_max);
  return "";
}

}  // namespace gleaner::daemon
