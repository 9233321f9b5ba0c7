// SPDX-License-Identifier: Apache-2.0
/// What happened to a training, for later: events.jsonl.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/clock.hh"
#include "core/result.hh"
#include "runtime/coordinator/event_log_head.hh"
#include "runtime/os/line_file.hh"

namespace gleaner::coordinator {

/// Appends one JSON object a line; a disk that stands still holds up nobody
/// (line_file.hh).  Events that were lost because of it are counted by an
/// event `events_lost` in their place.
///
/// The log is kept in `parts` files (core/event_log_parts.hh).  When a new one
/// begins, the oldest is removed, so together they take `bytes_max`, and a
/// line more at most.
class EventLog {
 public:
  static constexpr std::uint64_t parts = 8;

  /// Make or continue DIR/events.jsonl; DIR is made if needed.  Fails with io.
  /// `bytes_max` 0: one file without a limit.
  static Result<EventLog> open(std::string const& dir, Clock const& clock,
                               std::uint64_t bytes_max = 0);

  /// Adds "t" (seconds since the epoch) and "event".  A full disk is reported
  /// once on standard error and does not stop the training.
  void write(std::string const& event, nlohmann::json fields);

  /// Ready once what was written so far is on the disk, or lost.
  std::shared_future<void> all_on_disk() { return file_->all_on_disk(); }

 private:
  EventLog(std::unique_ptr<os::LineFile> file, Clock const& clock)
      : file_(std::move(file)), clock_(clock) {}

  std::unique_ptr<os::LineFile> file_;
  Clock const& clock_;
  EventLogHead head_;
  std::uint64_t bytes_ = 0;      ///< of this part
  std::uint64_t bytes_max_ = 0;  ///< of a part; 0: no limit
};

}  // namespace gleaner::coordinator
