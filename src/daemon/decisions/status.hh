// SPDX-License-Identifier: Apache-2.0
/// What `gleaner status` is told.
#pragma once

#include "daemon/decisions/brain.hh"
#include "proto/daemon_messages.hh"

namespace gleaner::daemon {

msg::StatusReply make_status(Brain const& brain, TimeS now);

}  // namespace gleaner::daemon
