// SPDX-License-Identifier: Apache-2.0
/// Which nodes will be used by jobs whose time is known (--begin), and when?
///
/// Slurm plans nothing for a job before its time, and then starts it over
/// leases.  So what it will start on is foretold here, and counts like a
/// planned start: trainings have left by then, and the nodes are kept until
/// Slurm has looked at the job, which takes it up to bf_interval.
///
/// Foretold from what is free or lent now.  So it is worth something for the
/// next minutes only, and at last the job takes what is there.
#pragma once

#include <map>
#include <string>

#include "core/cluster.hh"
#include "daemon/decisions/places.hh"
#include "daemon/decisions/supply.hh"

namespace gleaner::daemon {

/// The next use of a node.
struct ComingUse {
  TimeS start_s = 0;
  JobId job = 0;
  bool on_notice = false;  ///< it would begin now, were the node free
  bool operator==(ComingUse const&) const = default;
};

/// For the jobs whose time is from `since_s` to `until_s`, by place.  `aside`
/// are the places that jobs have that wait already; those that Slurm means to
/// use by `until_s` are not to be had either.
std::map<std::string, ComingUse> coming_uses(
    Snapshot const& snapshot, Places const& places,
    std::map<std::string, JobId> const& aside, JobMemory memory, TimeS since_s,
    TimeS until_s);

}  // namespace gleaner::daemon
