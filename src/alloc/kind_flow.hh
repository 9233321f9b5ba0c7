// SPDX-License-Identifier: Apache-2.0
/// Can the nodes of these kinds serve this demand, and if not, which trainers
/// ask for too much?
///
/// Trainers that can use the same kinds are one group.  A flow from groups to
/// kinds is a way to serve them.  If the largest flow leaves demand unserved,
/// its smallest cut names the groups that together want more nodes than there
/// are of all the kinds they can use (Hall's condition).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gleaner::alloc {

/// What groups want and kinds have, in nodes.
struct KindFlow {
  std::vector<int> demand;                    ///< of each group
  std::vector<int> supply;                    ///< of each kind
  std::vector<std::vector<std::size_t>> use;  ///< kinds each group can use
};

/// Nodes of each kind that each group gets: flow[group][kind].
using Flow = std::vector<std::vector<int>>;

/// The largest flow.  Time: groups · kinds for each path, of which there are
/// few more than groups and kinds together.
Flow largest_flow(KindFlow const& network);

/// The groups whose demand exceeds the nodes that they can use by most.  Empty
/// if `flow`, which must be a largest one, serves all.
std::vector<char> most_wanting(KindFlow const& network, Flow const& flow);

}  // namespace gleaner::alloc
