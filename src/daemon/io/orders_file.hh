// SPDX-License-Identifier: Apache-2.0
/// How orders outlive a restart: STATE_DIR/orders.json.
#pragma once

#include <string>

#include "core/result.hh"
#include "daemon/decisions/orders.hh"

namespace gleaner::daemon {

/// What was saved; orders that forbid nothing when there is no file.  Fails
/// with io, naming the file and the remedy, when it cannot be understood: to
/// lend nodes that somebody drained is worse than not to start.
Result<Orders> load_orders(std::string const& state_dir);

/// Replace the file at once or not at all.  Fails with io, naming it.
Result<void> save_orders(std::string const& state_dir, Orders const& orders);

}  // namespace gleaner::daemon
