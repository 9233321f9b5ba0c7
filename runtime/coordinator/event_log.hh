// SPDX-License-Identifier: Apache-2.0
/// What happened to a training, for later: events.jsonl.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/clock.hh"
#include "core/result.hh"

namespace gleaner {

/// Appends one JSON object a line.  Each line is one write(2): after a crash
/// at any instruction the file holds whole lines, but perhaps for the last.
class EventLog {
 public:
  /// Make or continue DIR/events.jsonl; DIR is made if needed.  Fails with io.
  static Result<EventLog> open(std::string const& dir, Clock const& clock);

  EventLog(EventLog&& other) noexcept;
  EventLog& operator=(EventLog&&) = delete;
  ~EventLog();

  /// Adds "t" (seconds since the epoch) and "event".  A full disk is reported
  /// once on standard error and does not stop the training.
  void write(std::string const& event, nlohmann::json fields);

 private:
  EventLog(int fd, std::string path, Clock const& clock)
      : fd_(fd), path_(std::move(path)), clock_(clock) {}

  int fd_;
  std::string path_;
  Clock const& clock_;
  bool failed_ = false;
};

}  // namespace gleaner
