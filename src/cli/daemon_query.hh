// SPDX-License-Identifier: Apache-2.0
/// One question to gleanerd, and its answer.
#pragma once

#include "core/config.hh"
#include "proto/daemon_messages.hh"

namespace gleaner::cli {

/// Connects, proves who asks, asks, and waits for the answer for 5 s at most.
/// Fails with the reason, in words for a person.
Result<msg::ToClient> ask_daemon(Config const& config,
                                 msg::FromClient const& question);

/// What to tell a person when that failed.
std::string unanswered(Config const& config, std::string const& config_file,
                       Error const& why);

}  // namespace gleaner::cli
