// SPDX-License-Identifier: Apache-2.0
#include "runtime/comm/tcp/layout.hh"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>

namespace gleaner::comm::tcp {

Layout Layout::of(std::vector<Contact> const& contacts, int rank) {
  std::map<std::string, std::vector<int>> by_node;
  for (int i = 0; i < int(contacts.size()); ++i)
    by_node[contacts[std::size_t(i)].node].push_back(i);
  Layout layout;
  for (auto& [name, ranks] : by_node) layout.nodes.push_back(std::move(ranks));
  auto const key = [&](std::vector<int> const& ranks) {
    auto const& first = contacts[std::size_t(ranks[0])];
    return std::tie(first.topology, first.node, ranks[0]);
  };
  std::sort(layout.nodes.begin(), layout.nodes.end(),
            [&](auto const& a, auto const& b) { return key(a) < key(b); });
  for (int i = 0; i < layout.node_count(); ++i) {
    auto const& ranks = layout.nodes[std::size_t(i)];
    auto const found = std::find(ranks.begin(), ranks.end(), rank);
    if (found == ranks.end()) continue;
    layout.node = i;
    layout.seat = int(found - ranks.begin());
  }
  return layout;
}

std::vector<int> doubling_partners(int node, int count) {
  auto const power = int(std::bit_floor(unsigned(count)));
  auto const folded = count - power;  // pairs that act as one
  std::vector<int> found;
  if (node < 2 * folded) {
    found.push_back(node ^ 1);
    if (node % 2 == 0) return found;
  }
  auto const acting = node < 2 * folded ? node / 2 : node - folded;
  for (int bit = 1; bit < power; bit *= 2) {
    auto const partner = acting ^ bit;
    found.push_back(partner < folded ? 2 * partner + 1 : partner + folded);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<int> partners(int node, int count) {
  auto const found = doubling_partners(node, count);
  std::set<int> all(found.begin(), found.end());
  all.insert((node + 1) % count);
  all.insert((node + count - 1) % count);
  all.erase(node);
  return {all.begin(), all.end()};
}

}  // namespace gleaner::comm::tcp
