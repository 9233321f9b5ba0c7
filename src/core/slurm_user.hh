// SPDX-License-Identifier: Apache-2.0
/// As whom gleanerd may run, and so whom its clients believe.
#pragma once

#include <vector>

#include "core/cluster.hh"
#include "core/config.hh"
#include "core/result.hh"

namespace gleaner {

/// The uids that gleanerd may have: root's and that of `slurm_user`, a name or
/// a number.  A name that is not known on this host adds none.
std::vector<Uid> gleanerd_uids(Config const& config);

/// Whether this process may be gleanerd.  Fails with denied and the remedy:
/// coordinators would not believe it.
Result<void> check_own_user(Config const& config);

}  // namespace gleaner
