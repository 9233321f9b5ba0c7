// SPDX-License-Identifier: Apache-2.0
/// Which places do the nodes make that are lent in parts?
#pragma once

#include "daemon/lease_table.hh"
#include "daemon/places.hh"
#include "daemon/roster.hh"

namespace gleaner {

/// Of each parted node the parts that leases have or are about to have, and
/// those into which the rest can be cut, with their ends.
Places part_places(Snapshot const& snapshot, LeaseTable const& leases,
                   Roster const& roster);

}  // namespace gleaner
