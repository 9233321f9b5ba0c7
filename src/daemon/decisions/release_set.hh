// SPDX-License-Identifier: Apache-2.0
/// Which parts of a node must come free for a job to start there?
///
/// The fewest leases, then the fewest parts that are free but could be lent;
/// among as few those with the fewest GPUs, then with the oldest leases, which
/// Slurm would preempt first.  Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/cluster.hh"

namespace gleaner::daemon {

/// A part of a node: lent, or free to be.
struct PartOfNode {
  Resources has;
  bool lent = false;
  JobId lease = 0;  ///< that is on it; 0: none yet
  bool operator==(PartOfNode const&) const = default;
};

/// Indices of the parts, ascending, whose resources together with `free`, which
/// no part has, cover `needed`; empty where `free` does.  None where not even
/// all of them suffice.
///
/// Parts that are alike count as one choice, so this looks at few sets: 2^16 at
/// worst, with 16 parts (parts_per_node_max) that all differ.
std::optional<std::vector<std::size_t>> release_set(
    Resources const& free, std::vector<PartOfNode> const& parts,
    Resources const& needed);

}  // namespace gleaner::daemon
