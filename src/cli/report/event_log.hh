// SPDX-License-Identifier: Apache-2.0
/// A trainer's events.jsonl, as its coordinator wrote it.
///
/// One JSON object a line with "t" and "event".  Kinds and fields that the
/// report does not need are passed over.
#pragma once

#include <string_view>

#include "cli/report/history.hh"
#include "core/result.hh"

namespace gleaner::cli {

/// Read a log up to `until_s` (0: all of it).  A last line without its end is
/// passed over: the coordinator may be writing it.  Fails with
/// invalid_argument, naming the line, for what cannot be read.
Result<TrainerHistory> parse_event_log(std::string_view text,
                                       double until_s = 0);

}  // namespace gleaner::cli
