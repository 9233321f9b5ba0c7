// SPDX-License-Identifier: Apache-2.0
/// Which trainers compete for which nodes.
#include "alloc/kind_component.hh"

#include <algorithm>
#include <map>
#include <numeric>

#include "alloc/placement.hh"
#include "core/contract.hh"

namespace gleaner::alloc {
namespace {

constexpr auto nobody = static_cast<std::size_t>(-1);

/// Union and find over trainers.
class Sets {
 public:
  explicit Sets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) {
    a = find(a), b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parent_;
};

bool can_use(Trainer const& trainer, std::uint32_t kind) {
  return trainer.usable.empty() ||
         std::binary_search(trainer.usable.begin(), trainer.usable.end(), kind);
}

/// Node::kind of all nodes, and which trainers can use each.
class Kinds {
 public:
  explicit Kinds(Problem const& problem) {
    for (auto const& node : problem.nodes) users_.try_emplace(node.kind);
    for (auto& [kind, users] : users_)
      for (std::size_t i = 0; i < problem.trainers.size(); ++i)
        if (can_use(problem.trainers[i], kind)) users.push_back(i);
  }
  std::vector<std::size_t> const& users(std::uint32_t kind) const {
    return users_.at(kind);
  }
  auto begin() const { return users_.begin(); }
  auto end() const { return users_.end(); }

 private:
  std::map<std::uint32_t, std::vector<std::size_t>> users_;
};

std::vector<std::size_t> holders_of(Problem const& problem) {
  std::vector<std::size_t> holders(problem.nodes.size(), nobody);
  for (std::size_t i = 0; i < problem.trainers.size(); ++i)
    for (auto const node : problem.trainers[i].nodes) holders[node] = i;
  return holders;
}

/// Builds the components, which are told by their first trainers.
class Cutter {
 public:
  explicit Cutter(Problem const& problem)
      : problem_(problem),
        kinds_(problem),
        holders_(holders_of(problem)),
        sets_(problem.trainers.size()),
        local_(problem.nodes.size()) {
    for (auto const& [kind, users] : kinds_)
      for (auto const user : users) sets_.join(users.front(), user);
  }

  std::vector<KindComponent> cut() {
    std::map<std::size_t, KindComponent> made;
    for (std::size_t i = 0; i < problem_.trainers.size(); ++i)
      made[sets_.find(i)].trainers.push_back(i);
    for (NodeIndex n = 0; n < problem_.nodes.size(); ++n)
      if (auto const at = component_of(n); at != nobody) {
        auto& component = made[at];
        local_[n] = static_cast<NodeIndex>(component.nodes.size());
        component.nodes.push_back(n);
      }
    std::vector<KindComponent> result;
    for (auto& [first, component] : made) {
      fill(&component);
      result.push_back(std::move(component));
    }
    return result;
  }

 private:
  std::size_t component_of(NodeIndex n) {
    if (holders_[n] != nobody) return sets_.find(holders_[n]);
    auto const& users = kinds_.users(problem_.nodes[n].kind);
    return users.empty() ? nobody : sets_.find(users.front());
  }

  void fill(KindComponent* component) {
    auto& part = component->problem = problem_.terms();
    for (auto const n : component->nodes)
      part.nodes.push_back(problem_.nodes[n]);
    for (auto const i : component->trainers) {
      part.trainers.push_back(problem_.trainers[i]);
      for (auto& node : part.trainers.back().nodes) node = local_[node];
    }
    sort_nodes(component);
  }

  /// Which kind each node is of, and how many there are of each.
  void sort_nodes(KindComponent* component) {
    auto& supply = component->supply;
    std::map<std::uint32_t, std::size_t> places;
    for (auto const n : component->nodes) {
      auto const& node = problem_.nodes[n];
      auto const holder = holders_[n];
      bool const foreign =
          holder != nobody && !alloc::can_use(problem_.trainers[holder], node);
      if (foreign || !is_lendable(problem_, n)) {
        component->are_alike = component->are_alike && !foreign;
        component->kind.push_back(own_kind);
        continue;
      }
      auto const [place, is_new] =
          places.try_emplace(node.kind, supply.nodes.size());
      if (is_new) supply.nodes.push_back(0);
      ++supply.nodes[place->second];
      component->kind.push_back(place->second);
    }
    for (auto const& [kind, place] : places)
      component->are_alike =
          component->are_alike &&
          kinds_.users(kind).size() == component->trainers.size();
    for (auto const i : component->trainers) {
      auto& use = supply.use.emplace_back();
      for (auto const& [kind, place] : places)
        if (can_use(problem_.trainers[i], kind)) use.push_back(place);
      std::sort(use.begin(), use.end());
    }
    count_own(component);
  }

  static void count_own(KindComponent* component) {
    for (auto const& trainer : component->problem.trainers)
      component->supply.own.push_back(static_cast<int>(std::count_if(
          trainer.nodes.begin(), trainer.nodes.end(),
          [&](auto node) { return component->kind[node] == own_kind; })));
  }

  Problem const& problem_;
  Kinds kinds_;
  std::vector<std::size_t> holders_;
  Sets sets_;
  std::vector<NodeIndex> local_;  // a node's place in its component
};

}  // namespace

bool can_use(Trainer const& trainer, Node const& node) {
  return can_use(trainer, node.kind);
}

std::vector<KindComponent> kind_components(Problem const& problem) {
  return Cutter(problem).cut();
}

void freeze(KindComponent* component, std::vector<char> const& trainers) {
  EXPECT(trainers.size() == component->problem.trainers.size(), trainers.size(),
         component->problem.trainers.size());
  auto& supply = component->supply;
  for (std::size_t i = 0; i < trainers.size(); ++i) {
    if (!trainers[i]) continue;
    for (auto const node : component->problem.trainers[i].nodes) {
      auto& kind = component->kind[node];
      if (kind == own_kind) continue;
      --supply.nodes[kind];
      ++supply.own[i];
      kind = own_kind;
    }
  }
}

}  // namespace gleaner::alloc
