// SPDX-License-Identifier: Apache-2.0
/// On which kinds of node, and within which reservations, can a job start?
#pragma once

#include <string>
#include <vector>

#include "core/cluster.hh"

namespace gleaner::daemon {

/// What waiting jobs that ask the same of each node have in common.
struct JobShape {
  std::vector<char> kinds;             ///< of the snapshot: 1 where it fits
  std::vector<NodeSet const*> within;  ///< reservations; empty: any node
};

/// What the job says in `reservation` that the snapshot does not know does not
/// bind it.
JobShape shape_of(PendingJob const& job, Snapshot const& snapshot);

/// Jobs with the same text have the same shape, and differ at most in how many
/// nodes they need and in which ones by name.
std::string shape_key(PendingJob const& job);

/// Could a node of this kind serve the job, if nothing else was on it?
bool kind_fits(NodeKind const& kind, PendingJob const& job);

/// Has it a unit of each GRES that the job counts over all nodes?
bool contributes(Gres const& free, Gres const& in_all);

}  // namespace gleaner::daemon
