// SPDX-License-Identifier: Apache-2.0
/// Can what a coordinator says of its pace be true, and what does it mean?
#pragma once

#include "profile/pace.hh"
#include "proto/daemon_messages.hh"

namespace gleaner::daemon {

/// Times are times, and there are members on nodes.
bool is_possible(msg::Pace const& pace);

profile::Pace pace_of(msg::Pace const& pace);
profile::Traits traits_of(msg::Pace const& pace);

}  // namespace gleaner::daemon
