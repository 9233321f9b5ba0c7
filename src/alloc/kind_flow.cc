// SPDX-License-Identifier: Apache-2.0
/// Largest flows by shortest augmenting paths.
#include "alloc/kind_flow.hh"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/contract.hh"

namespace gleaner::alloc {
namespace {

constexpr auto nobody = std::numeric_limits<std::size_t>::max();

/// What can be reached from groups with unmet demand, and how.
class Search {
 public:
  Search(KindFlow const& network, Flow const& flow)
      : network_(network),
        flow_(flow),
        group_from_(network.demand.size(), nobody),
        kind_from_(network.supply.size(), nobody),
        reached_(network.demand.size(), 0) {}

  /// Start at each group that `left` says; the first kind reached with supply
  /// left, or nobody when all that can be reached was.
  std::size_t run(std::vector<int> const& left,
                  std::vector<int> const& supply_left) {
    std::vector<std::size_t> queue;
    for (std::size_t g = 0; g < left.size(); ++g)
      if (left[g] > 0) {
        reached_[g] = 1;
        queue.push_back(g);
      }
    for (std::size_t at = 0; at < queue.size(); ++at)
      for (auto const kind : network_.use[queue[at]]) {
        if (kind_from_[kind] != nobody) continue;
        kind_from_[kind] = queue[at];
        if (supply_left[kind] > 0) return kind;
        for (std::size_t g = 0; g < reached_.size(); ++g)
          if (!reached_[g] && flow_[g][kind] > 0) {
            reached_[g] = 1;
            group_from_[g] = kind;
            queue.push_back(g);
          }
      }
    return nobody;
  }

  std::vector<char> const& reached() const { return reached_; }
  std::size_t group_before(std::size_t kind) const { return kind_from_[kind]; }
  /// Nobody for a group at which the search began.
  std::size_t kind_before(std::size_t group) const {
    return group_from_[group];
  }

 private:
  KindFlow const& network_;
  Flow const& flow_;
  std::vector<std::size_t> group_from_;  // the kind it gives nodes of
  std::vector<std::size_t> kind_from_;   // the group that wants it
  std::vector<char> reached_;
};

std::vector<int> unmet(KindFlow const& network, Flow const& flow) {
  auto left = network.demand;
  for (std::size_t g = 0; g < left.size(); ++g)
    left[g] -= std::accumulate(flow[g].begin(), flow[g].end(), 0);
  return left;
}

std::vector<int> unused(KindFlow const& network, Flow const& flow) {
  auto left = network.supply;
  for (auto const& row : flow)
    for (std::size_t k = 0; k < left.size(); ++k) left[k] -= row[k];
  return left;
}

/// As much as the path to `kind` can carry.
void augment(Search const& search, std::size_t kind, Flow* flow,
             std::vector<int>* left, std::vector<int>* supply_left) {
  int most = (*supply_left)[kind];
  std::size_t group = nobody;
  for (auto k = kind; k != nobody; k = search.kind_before(group)) {
    group = search.group_before(k);
    if (auto const back = search.kind_before(group); back != nobody)
      most = std::min(most, (*flow)[group][back]);
  }
  most = std::min(most, (*left)[group]);
  (*supply_left)[kind] -= most;
  (*left)[group] -= most;
  for (auto k = kind; k != nobody;) {
    group = search.group_before(k);
    (*flow)[group][k] += most;
    auto const back = search.kind_before(group);
    if (back != nobody) (*flow)[group][back] -= most;
    k = back;
  }
}

}  // namespace

Flow largest_flow(KindFlow const& network) {
  EXPECT(network.demand.size() == network.use.size(), network.demand.size(),
         network.use.size());
  Flow flow(network.demand.size(), std::vector<int>(network.supply.size(), 0));
  auto left = unmet(network, flow);
  auto supply_left = unused(network, flow);
  for (;;) {
    Search search(network, flow);
    auto const kind = search.run(left, supply_left);
    if (kind == nobody) return flow;
    augment(search, kind, &flow, &left, &supply_left);
  }
}

std::vector<char> most_wanting(KindFlow const& network, Flow const& flow) {
  auto const left = unmet(network, flow);
  if (std::all_of(left.begin(), left.end(), [](int n) { return n == 0; }))
    return {};
  Search search(network, flow);
  search.run(left, std::vector<int>(network.supply.size(), 0));
  return search.reached();
}

}  // namespace gleaner::alloc
