// SPDX-License-Identifier: Apache-2.0
/// How many nodes may be lent in all, and to one user.
///
/// Two places use this.  A Problem is made so that no plan exceeds the caps by
/// much and nobody's share lies idle; and no offer goes out beyond them.
#pragma once

#include <vector>

#include "alloc/allocator.hh"
#include "core/config.hh"
#include "daemon/lease_table.hh"

namespace gleaner {

/// Cut nodes_max of trainers so that those of a user together stay within
/// leases_per_user_max: each first gets its nodes_min, in order of arrival,
/// then what is left is dealt out in turns.  `owners[i]` is the user of
/// trainers[i].  A trainer whose nodes_min does not fit is left out, with its
/// owner.  Nodes beyond leases_max are left out too, those in use last.
void apply_caps(Config const& config, std::vector<Uid>* owners,
                Problem* problem);

/// May one more node be offered to this user?  Leases count until they are
/// gone.
bool has_room(Config const& config, LeaseTable const& leases, Uid uid);

}  // namespace gleaner
