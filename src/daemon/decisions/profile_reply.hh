// SPDX-License-Identifier: Apache-2.0
/// What does gleanerd tell a person of one training's scaling?
#pragma once

#include "daemon/decisions/brain.hh"

namespace gleaner::daemon {

msg::ProfileReply make_profile(Brain const& brain, JobId job);

}  // namespace gleaner::daemon
