// SPDX-License-Identifier: Apache-2.0
/// What does a listening process do when it cannot accept a connection?
///
/// Most often it has no file descriptor left.  The client stays in the kernel's
/// queue, so accepting again at once would fail endlessly.  The process pauses,
/// logs the failure now and then, and continues when descriptors are free.
#pragma once

#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>

#include "core/clock.hh"
#include "core/throttle.hh"

namespace gleaner::proto {

class AcceptFailures {
 public:
  /// Before the next attempt.
  static constexpr std::chrono::milliseconds pause{100};

  /// `where` it listens, for the log.
  void note(std::string const& where, std::error_code why) {
    bool const is_full = why.value() == EMFILE || why.value() == ENFILE;
    LogLine line("accept_failed");
    line.kv("at", where)
        .kv("why",
            why.message() +
                (is_full ? " (callers wait) [raise the limit of open files: "
                           "LimitNOFILE= of its unit, or ulimit -n]"
                         : ""));
    throttle_.log(LogLevel::error, std::to_string(why.value()), line,
                  SystemClock().monotonic_s());
  }

 private:
  Throttle throttle_;
};

}  // namespace gleaner::proto
