// SPDX-License-Identifier: Apache-2.0
/// What does a training's scaling look like, as text and as a picture?
#pragma once

#include <string>

#include "proto/daemon_messages.hh"

namespace gleaner::cli {

/// What was measured, what is expected of other sizes, and what resizes cost.
std::string profile_text(msg::ProfileReply const& profile);

/// Speed over nodes: what was measured, what is expected with the interval
/// that holds the truth nine times in ten, and what perfect scaling would be.
/// Of a profile with a curve.
std::string profile_svg(msg::ProfileReply const& profile);

}  // namespace gleaner::cli
