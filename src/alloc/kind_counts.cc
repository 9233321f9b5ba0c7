// SPDX-License-Identifier: Apache-2.0
/// Decomposition along sets of trainers that want too much.
#include "alloc/kind_counts.hh"

#include <algorithm>
#include <map>
#include <numeric>

#include "alloc/kind_flow.hh"
#include "alloc/work.hh"
#include "core/contract.hh"

namespace gleaner::alloc {
namespace {

/// Solves for some of the trainers, on what is left of the kinds.
class Decomposition {
 public:
  Decomposition(Problem const& problem, KindSupply const& supply,
                AlikeCounts const& solve, double steps_max)
      : problem_(problem),
        supply_(supply),
        solve_(solve),
        group_(groups_of(supply)),
        left_(supply.nodes),
        work_(steps_max) {
    result_.counts.assign(problem.trainers.size(), 0);
  }

  Result<Counts> run() {
    std::vector<std::size_t> all(problem_.trainers.size());
    std::iota(all.begin(), all.end(), 0);
    if (auto done = settle(all); !done) return done.error();
    result_.steps = work_.done();
    return result_;
  }

 private:
  using Some = std::vector<std::size_t>;

  /// Fix the counts of these trainers, and take what they use from `left_`.
  Result<void> settle(Some const& some) {
    if (some.empty()) return {};
    auto const solved = solve_alike(some);
    if (!solved) return solved.error();
    work_.take(solved->steps);
    if (some.size() == problem_.trainers.size()) result_.bound = solved->bound;
    auto const* counts = &solved->counts;
    ENSURE(counts->size() == some.size(), counts->size(), some.size());
    auto network = network_of(some, *counts);
    auto const flow = largest_flow(network);
    auto const wanting = most_wanting(network, flow);
    if (wanting.empty()) {
      use(some, *counts, flow);
      return {};
    }
    Some these, others;
    for (auto const i : some)
      (wanting[group_[i]] ? these : others).push_back(i);
    if (others.empty()) {  // it cannot be split: the policy gave too much
      serve_in_turn(some, *counts);
      return {};
    }
    auto first = settle(these);
    return first ? settle(others) : first;
  }

  Result<Counts> solve_alike(Some const& some) const {
    Problem alike = problem_.terms();
    Holdings holdings;
    std::vector<char> usable(left_.size(), 0);
    int own = 0;
    for (auto const i : some) {
      alike.trainers.push_back(problem_.trainers[i]);
      for (auto const kind : supply_.use[i]) usable[kind] = 1;
      holdings.bound.push_back(supply_.own[i]);
      own += supply_.own[i];
    }
    for (std::size_t k = 0; k < left_.size(); ++k)
      if (usable[k]) holdings.pool += left_[k];
    alike.nodes.resize(static_cast<std::size_t>(holdings.pool + own));
    return solve_(alike, holdings, work_.left());
  }

  /// Beyond what trainers have to themselves.
  int wanted(std::size_t trainer, int count) const {
    return count - std::min(count, supply_.own[trainer]);
  }

  KindFlow network_of(Some const& some, std::vector<int> const& counts) const {
    auto const groups =
        group_.empty() ? 0
                       : 1 + *std::max_element(group_.begin(), group_.end());
    KindFlow network{std::vector<int>(groups, 0), left_,
                     std::vector<std::vector<std::size_t>>(groups)};
    for (std::size_t n = 0; n < some.size(); ++n) {
      auto const group = group_[some[n]];
      network.demand[group] += wanted(some[n], counts[n]);
      network.use[group] = supply_.use[some[n]];
    }
    return network;
  }

  void use(Some const& some, std::vector<int> const& counts, Flow const& flow) {
    for (std::size_t n = 0; n < some.size(); ++n)
      result_.counts[some[n]] = counts[n];
    for (auto const& row : flow)
      for (std::size_t k = 0; k < left_.size(); ++k) {
        left_[k] -= row[k];
        ENSURE(left_[k] >= 0, k, left_[k], row[k]);
      }
  }

  /// In the order of arrival, as much as there is.
  void serve_in_turn(Some const& some, std::vector<int> const& counts) {
    for (std::size_t n = 0; n < some.size(); ++n) {
      auto const i = some[n];
      int there = 0;
      for (auto const kind : supply_.use[i]) there += left_[kind];
      int const most = std::min(counts[n], supply_.own[i] + there);
      if (most < problem_.trainers[i].nodes_min) continue;
      result_.counts[i] = most;
      auto want = wanted(i, most);
      for (auto const kind : supply_.use[i]) {
        auto const some_of_it = std::min(want, left_[kind]);
        left_[kind] -= some_of_it;
        want -= some_of_it;
      }
    }
  }

  Problem const& problem_;
  KindSupply const& supply_;
  AlikeCounts const& solve_;
  std::vector<std::size_t> group_;
  std::vector<int> left_;
  Work work_;
  Counts result_;
};

}  // namespace

std::vector<std::size_t> groups_of(KindSupply const& supply) {
  std::map<std::vector<std::size_t>, std::size_t> known;
  std::vector<std::size_t> groups;
  for (auto const& use : supply.use)
    groups.push_back(known.try_emplace(use, known.size()).first->second);
  return groups;
}

Result<Counts> counts_by_kind(Problem const& problem, KindSupply const& supply,
                              AlikeCounts const& solve, double steps_max) {
  EXPECT(supply.use.size() == problem.trainers.size() &&
             supply.own.size() == problem.trainers.size(),
         supply.use.size(), supply.own.size(), problem.trainers.size());
  return Decomposition(problem, supply, solve, steps_max).run();
}

}  // namespace gleaner::alloc
