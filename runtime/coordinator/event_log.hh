// SPDX-License-Identifier: Apache-2.0
/// What happened to a training, for later: events.jsonl.
#pragma once

#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/clock.hh"
#include "core/result.hh"
#include "runtime/os/line_file.hh"

namespace gleaner::coordinator {

/// Appends one JSON object a line; a disk that stands still holds up nobody
/// (line_file.hh).  Events that were lost because of it are counted by an
/// event `events_lost` in their place.
class EventLog {
 public:
  /// Make or continue DIR/events.jsonl; DIR is made if needed.  Fails with io.
  static Result<EventLog> open(std::string const& dir, Clock const& clock);

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
};

}  // namespace gleaner::coordinator
