// SPDX-License-Identifier: Apache-2.0
/// Which members share a node, and in which order a ring visits the nodes?
///
/// Nodes are sorted by where they are in the network, then by name, so that a
/// ring enters and leaves each switch once, whatever ranks are.  The first
/// member of a node speaks for it to other nodes.  Equal contacts give equal
/// layouts.
#pragma once

#include <vector>

#include "runtime/comm/tcp/contact.hh"

namespace gleaner::comm::tcp {

struct Layout {
  std::vector<std::vector<int>> nodes;  ///< ranks, ascending, in ring order
  int node = 0;                         ///< this member's, of nodes
  int seat = 0;                         ///< this member's, of nodes[node]

  static Layout of(std::vector<Contact> const& contacts, int rank);

  bool leads() const { return seat == 0; }
  int leader(int node) const { return nodes[std::size_t(node)][0]; }
  int node_count() const { return int(nodes.size()); }
  std::vector<int> const& own_node() const { return nodes[std::size_t(node)]; }
};

/// Nodes that exchange with this one in DoublingSum, ascending; `count` of all.
std::vector<int> doubling_partners(int node, int count);

/// Nodes that this one needs a connection to: its neighbours in the ring and
/// its partners.
std::vector<int> partners(int node, int count);

}  // namespace gleaner::comm::tcp
