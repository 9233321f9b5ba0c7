// SPDX-License-Identifier: Apache-2.0
/// Which files hold a training's events?
///
/// DIR/events.jsonl is written to.  When it is long, it becomes the next of
/// DIR/events.000001.jsonl, DIR/events.000002.jsonl, …, and a new one begins.
/// Numbers only grow, so a reader knows what it has read; and in a shell
/// DIR/events*.jsonl is all that is kept, in order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hh"

namespace gleaner {

std::string event_log_path(std::string const& dir);
std::string event_log_part_path(std::string const& dir, std::uint64_t number);

/// Numbers of the earlier parts that are kept, ascending.
std::vector<std::uint64_t> event_log_parts(std::string const& dir);

/// All that is kept, in order, also while it is written.  Fails with io if
/// there is no log.
Result<std::string> read_event_log(std::string const& dir);

}  // namespace gleaner
