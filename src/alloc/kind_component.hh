// SPDX-License-Identifier: Apache-2.0
/// A problem cut into parts that have nothing to do with each other.
#pragma once

#include <cstddef>
#include <vector>

#include "alloc/allocator.hh"
#include "alloc/kind_counts.hh"

namespace gleaner::alloc {

/// Trainers that compete, directly or through others, and all nodes that they
/// can use.
struct KindComponent {
  Problem problem;                    ///< of these trainers and nodes alone
  std::vector<NodeIndex> nodes;       ///< where they are in the whole problem
  std::vector<std::size_t> trainers;  ///< likewise
  bool are_alike = true;              ///< each trainer can use each node
  KindSupply supply;                  ///< where they are not alike
  /// Of each node its place in supply.nodes; `own_kind` for one that only its
  /// holder may have: its hole is short, or it is of a kind its holder could
  /// not get.
  std::vector<std::size_t> kind;
};
inline constexpr auto own_kind = static_cast<std::size_t>(-1);

bool can_use(Trainer const& trainer, Node const& node);

/// The parts, ordered by their first trainer.  A node that no trainer has or
/// can use is in none of them.
std::vector<KindComponent> kind_components(Problem const& problem);

/// Reserves what these trainers of a component hold for them.
void freeze(KindComponent* component, std::vector<char> const& trainers);

}  // namespace gleaner::alloc
