// SPDX-License-Identifier: Apache-2.0
/// How many nodes are free without any lease being given back?
#pragma once

#include "core/free_nodes.hh"
#include "daemon/decisions/lease_table.hh"

namespace gleaner::daemon {

/// By partition; those without a lent node are left out.  A node counts as lent
/// while its lease could be asked back, as neither while it is on its way.
FreeNodes count_free(Snapshot const& snapshot, LeaseTable const& leases,
                     std::string const& default_partition, TimeS until_s);

}  // namespace gleaner::daemon
