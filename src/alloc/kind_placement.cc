// SPDX-License-Identifier: Apache-2.0
/// A matching of trainers with kinds, then placement kind by kind.
#include "alloc/kind_placement.hh"

#include <algorithm>
#include <numeric>

namespace gleaner::alloc {
namespace {

constexpr auto nobody = static_cast<std::size_t>(-1);

/// How many nodes of each kind each trainer gets.
class Matching {
 public:
  Matching(KindComponent const& component, std::vector<int> const& counts)
      : supply_(component.supply),
        left_(supply_.nodes),
        got_(counts.size(), std::vector<int>(left_.size(), 0)),
        kept_(got_),
        want_(counts.size(), 0) {
    keep(component, counts);
    fill();
    for (auto const moves : {Moves::new_ones, Moves::kept_too})
      for (std::size_t i = 0; i < want_.size(); ++i)
        while (want_[i] > 0 && augment(i, moves)) {
        }
  }

  std::vector<int> const& got(std::size_t trainer) const {
    return got_[trainer];
  }

 private:
  enum class Moves { new_ones, kept_too };

  /// Everybody begins with the best of what it has, and all of its own.
  void keep(KindComponent const& component, std::vector<int> const& counts) {
    auto const have = holdings(component.problem);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      want_[i] = counts[i] - std::min(counts[i], supply_.own[i]);
      for (auto const node : have.held[i]) {
        auto const kind = component.kind[node];
        if (kind == own_kind || want_[i] == 0) continue;
        --want_[i];
        --left_[kind];
        ++got_[i][kind];
        ++kept_[i][kind];
      }
    }
  }

  /// Those with the least choice first, from the kinds the fewest can use.
  void fill() {
    std::vector<std::size_t> users(left_.size(), 0), order(want_.size());
    for (auto const& use : supply_.use)
      for (auto const kind : use) ++users[kind];
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
      return supply_.use[a].size() < supply_.use[b].size();
    });
    for (auto const i : order) {
      auto kinds = supply_.use[i];
      std::stable_sort(kinds.begin(), kinds.end(),
                       [&](auto a, auto b) { return users[a] < users[b]; });
      for (auto const kind : kinds) {
        int const some = std::min(want_[i], std::max(0, left_[kind]));
        left_[kind] -= some;
        got_[i][kind] += some;
        want_[i] -= some;
      }
    }
  }

  /// One node more for trainer i: others move to other kinds, along the
  /// shortest way.  False if that cannot be.
  bool augment(std::size_t i, Moves moves) {
    std::vector<std::size_t> from_kind(want_.size(), nobody);
    std::vector<std::size_t> from_trainer(left_.size(), nobody);
    std::vector<std::size_t> queue{i};
    for (std::size_t at = 0; at < queue.size(); ++at)
      for (auto const kind : supply_.use[queue[at]]) {
        if (from_trainer[kind] != nobody) continue;
        from_trainer[kind] = queue[at];
        if (left_[kind] > 0) {
          shift(i, kind, from_kind, from_trainer);
          return true;
        }
        for (std::size_t j = 0; j < want_.size(); ++j) {
          bool const movable =
              got_[j][kind] > (moves == Moves::new_ones ? kept_[j][kind] : 0);
          if (j == i || from_kind[j] != nobody || !movable) continue;
          from_kind[j] = kind;
          queue.push_back(j);
        }
      }
    return false;
  }

  void shift(std::size_t i, std::size_t kind,
             std::vector<std::size_t> const& from_kind,
             std::vector<std::size_t> const& from_trainer) {
    --left_[kind];
    --want_[i];
    for (;;) {
      auto const trainer = from_trainer[kind];
      ++got_[trainer][kind];
      if (trainer == i) return;
      kind = from_kind[trainer];
      --got_[trainer][kind];
      kept_[trainer][kind] =
          std::min(kept_[trainer][kind], got_[trainer][kind]);
    }
  }

  KindSupply const& supply_;
  std::vector<int> left_;
  std::vector<std::vector<int>> got_;   // by trainer and kind
  std::vector<std::vector<int>> kept_;  // of these
  std::vector<int> want_;               // still
};

/// One kind's nodes, and the trainers that have or get some of them.
struct OneKind {
  Problem problem;
  std::vector<NodeIndex> nodes;       // in the component
  std::vector<std::size_t> trainers;  // likewise
  std::vector<int> counts;
};

OneKind only(KindComponent const& component, std::size_t kind,
             Matching const& matching) {
  auto const& whole = component.problem;
  OneKind one;
  one.problem = whole.terms();
  std::vector<NodeIndex> local(whole.nodes.size());
  for (NodeIndex n = 0; n < whole.nodes.size(); ++n)
    if (component.kind[n] == kind) {
      local[n] = static_cast<NodeIndex>(one.nodes.size());
      one.nodes.push_back(n);
      one.problem.nodes.push_back(whole.nodes[n]);
    }
  for (std::size_t i = 0; i < whole.trainers.size(); ++i) {
    Trainer trainer;
    for (auto const node : whole.trainers[i].nodes)
      if (component.kind[node] == kind) trainer.nodes.push_back(local[node]);
    int const count = matching.got(i)[kind];
    if (count == 0 && trainer.nodes.empty()) continue;
    trainer.nodes_max =
        std::max({1, count, static_cast<int>(trainer.nodes.size())});
    one.problem.trainers.push_back(std::move(trainer));
    one.trainers.push_back(i);
    one.counts.push_back(count);
  }
  return one;
}

/// What it holds of `chosen` in the old order, then the new ones.  `kept` is
/// set to how many it keeps.
std::vector<NodeIndex> kept_first(std::vector<NodeIndex> const& held,
                                  std::vector<NodeIndex> const& chosen,
                                  std::size_t* kept) {
  std::vector<NodeIndex> sorted_held(held), sorted(chosen), result;
  std::sort(sorted_held.begin(), sorted_held.end());
  std::sort(sorted.begin(), sorted.end());
  auto const in = [](auto const& list, NodeIndex node) {
    return std::binary_search(list.begin(), list.end(), node);
  };
  for (auto const node : held)
    if (in(sorted, node)) result.push_back(node);
  *kept = result.size();
  for (auto const node : chosen)
    if (!in(sorted_held, node)) result.push_back(node);
  return result;
}

/// The best of what only it may have.
std::vector<NodeIndex> own_nodes(KindComponent const& component,
                                 std::vector<NodeIndex> const& held,
                                 int count) {
  std::vector<NodeIndex> own;
  for (auto const node : held)
    if (component.kind[node] == own_kind &&
        static_cast<int>(own.size()) < count)
      own.push_back(node);
  return own;
}

}  // namespace

KindPlan place_by_kind(KindComponent const& component,
                       std::vector<int> const& counts,
                       PlaceAlike const& place) {
  Matching const matching(component, counts);
  auto const have = holdings(component.problem);
  Plan chosen(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i)
    chosen[i] = own_nodes(component, have.held[i], counts[i]);
  for (std::size_t kind = 0; kind < component.supply.nodes.size(); ++kind) {
    auto const one = only(component, kind, matching);
    auto const plan = place(one.problem, holdings(one.problem), one.counts);
    for (std::size_t n = 0; n < plan.size(); ++n)
      for (auto const node : plan[n])
        chosen[one.trainers[n]].push_back(one.nodes[node]);
  }
  KindPlan result;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    auto const& held = component.problem.trainers[i].nodes;
    std::size_t kept = 0;
    result.plan.push_back(kept_first(held, chosen[i], &kept));
    result.is_displaced.push_back(kept <
                                  std::min(chosen[i].size(), held.size()));
  }
  return result;
}

}  // namespace gleaner::alloc
