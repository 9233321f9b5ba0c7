// SPDX-License-Identifier: Apache-2.0
/// When does each part of a node have to be back?
///
/// Slurm's plans are by node, and leases do not move them.  When a regular job
/// ends, it starts waiting jobs whatever is planned, and preempts leases for
/// them in the same moment.  So a part has to be back when the first comes of
/// - a reservation of the node;
/// - the planned start of a job that will need this part, beside what is free
///   and what jobs that end before leave it;
/// - the latest end of a running job after which a waiting job could start if
///   this part were free, and not without it.
///
/// Jobs end early: these are the latest times.  Pure.
#pragma once

#include <vector>

#include "daemon/decisions/release_set.hh"

namespace gleaner::daemon {

struct PartEnd {
  std::optional<TimeS> end_s;  ///< none: unknown
  JobId job = 0;               ///< for which; 0: a reservation
  bool operator==(PartEnd const&) const = default;
};

/// Of each of `parts`.  `free`: what no part has of what is free on the node;
/// `waiting`: what jobs that could start on this node need of it, the first in
/// Slurm's queue first.
std::vector<PartEnd> part_ends(SharedNode const& node, Resources const& free,
                               std::vector<PartOfNode> const& parts,
                               std::vector<NodeUse> const& waiting);

}  // namespace gleaner::daemon
