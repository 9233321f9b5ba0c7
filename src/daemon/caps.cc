// SPDX-License-Identifier: Apache-2.0
/// Cutting a Problem down to the caps.
#include "daemon/caps.hh"

#include <algorithm>
#include <map>

namespace gleaner {
namespace {

/// Nodes for each trainer within the caps of the users; 0: left out.
std::vector<int> shares(int cap, std::vector<Uid> const& owners,
                        std::vector<Trainer> const& trainers) {
  std::map<Uid, int> room;
  for (auto const uid : owners) room[uid] = cap;
  std::vector<int> share(trainers.size(), 0);
  for (std::size_t i = 0; i < trainers.size(); ++i) {
    auto& left = room[owners[i]];
    if (trainers[i].nodes_min > left) continue;
    share[i] = trainers[i].nodes_min;
    left -= share[i];
  }
  for (bool dealt = true; dealt;) {
    dealt = false;
    for (std::size_t i = 0; i < trainers.size(); ++i) {
      auto& left = room[owners[i]];
      if (left == 0 || share[i] == 0 || share[i] >= trainers[i].nodes_max)
        continue;
      ++share[i], --left;
      dealt = true;
    }
  }
  return share;
}

void cap_users(int cap, std::vector<Uid>* owners, Problem* problem) {
  auto& trainers = problem->trainers;
  auto const share = shares(cap, *owners, trainers);
  std::vector<Trainer> kept;
  std::vector<Uid> kept_owners;
  for (std::size_t i = 0; i < trainers.size(); ++i) {
    if (share[i] == 0) continue;
    auto& trainer = trainers[i];
    trainer.nodes_max = share[i];
    auto const speeds = static_cast<std::size_t>(share[i]) + 1;
    if (trainer.speed.size() > speeds) trainer.speed.resize(speeds);
    kept.push_back(std::move(trainer));
    kept_owners.push_back((*owners)[i]);
  }
  trainers = std::move(kept);
  *owners = std::move(kept_owners);
}

/// Keep the first `cap` nodes, those that trainers have before all others.
void cap_nodes(std::size_t cap, Problem* problem) {
  std::vector<bool> used(problem->nodes.size(), false);
  for (auto const& trainer : problem->trainers)
    for (auto const node : trainer.nodes) used[node] = true;
  auto room = cap;
  std::vector<bool> kept(problem->nodes.size(), false);
  for (bool const wanted : {true, false})
    for (std::size_t i = 0; i < used.size() && room > 0; ++i)
      if (used[i] == wanted) kept[i] = true, --room;
  std::vector<NodeIndex> place(problem->nodes.size());
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    place[i] = static_cast<NodeIndex>(nodes.size());
    nodes.push_back(std::move(problem->nodes[i]));
  }
  problem->nodes = std::move(nodes);
  for (auto& trainer : problem->trainers) {
    std::erase_if(trainer.nodes, [&](NodeIndex node) { return !kept[node]; });
    for (auto& node : trainer.nodes) node = place[node];
  }
}

}  // namespace

void apply_caps(Config const& config, std::vector<Uid>* owners,
                Problem* problem) {
  if (config.leases_per_user_max > 0)
    cap_users(config.leases_per_user_max, owners, problem);
  auto const cap = static_cast<std::size_t>(config.leases_max);
  if (cap > 0 && problem->nodes.size() > cap) cap_nodes(cap, problem);
}

bool has_room(Config const& config, LeaseTable const& leases, Uid uid) {
  auto const& all = leases.all();
  if (config.leases_max > 0 &&
      all.size() >= static_cast<std::size_t>(config.leases_max))
    return false;
  if (config.leases_per_user_max == 0) return true;
  auto const of_user = std::count_if(all.begin(), all.end(), [&](auto& entry) {
    return entry.second.uid == uid;
  });
  return of_user < config.leases_per_user_max;
}

}  // namespace gleaner
