// SPDX-License-Identifier: Apache-2.0
/// How many nodes may be lent in all, to one user, and to one account.
///
/// Two places use this.  A Problem is made so that no plan exceeds the caps by
/// much and nobody's share lies idle; and no offer goes out beyond them.
#pragma once

#include <string>
#include <vector>

#include "alloc/allocator.hh"
#include "core/config.hh"
#include "daemon/decisions/lease_table.hh"
#include "daemon/decisions/roster.hh"

namespace gleaner::daemon {

/// Whose cap a training's leases count for.
struct Owner {
  Uid uid = 0;
  std::string account;  ///< "": of none, and under no cap
};

/// Cut nodes_max of trainers so that those of a user together stay within
/// leases_per_user_max, and those of an account within leases_per_account_max:
/// each first gets its nodes_min, in order of arrival, then what is left is
/// dealt out in turns.  `owners[i]` is the owner of trainers[i].  A trainer
/// whose nodes_min does not fit is left out, with its owner.  Nodes beyond
/// leases_max are left out too, those in use last.
void apply_caps(Config const& config, std::vector<Owner>* owners,
                alloc::Problem* problem);

/// Which cap keeps one more node from being offered to this owner: "leases_max
/// (8)"; "": none.  Leases count until they are gone.
std::string cap_reached(Config const& config, LeaseTable const& leases,
                        Roster const& roster, Owner const& owner);

}  // namespace gleaner::daemon
