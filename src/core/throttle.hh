// SPDX-License-Identifier: Apache-2.0
/// Which of many equal log lines are written: a peer must not fill the log.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/log.hh"

namespace gleaner {

/// The first line of a kind is written, then one in `interval_s`, with the
/// number of those left out before it.
class Throttle {
 public:
  explicit Throttle(double interval_s = 10) : interval_s_(interval_s) {}

  /// How many were left out since the last that was written; none: this one is
  /// left out as well.
  std::optional<unsigned> pass(std::string const& kind, double now_s) {
    if (entries_.size() > kinds_max) entries_.clear();
    auto const [found, first] = entries_.try_emplace(kind, Entry{now_s, 0});
    if (first) return 0;
    auto& entry = found->second;
    if (now_s < entry.written_s + interval_s_) {
      ++entry.left_out;
      return std::nullopt;
    }
    auto const left_out = entry.left_out;
    entry = {now_s, 0};
    return left_out;
  }

  /// Write the line if it is its kind's turn.
  void log(LogLevel level, std::string const& kind, LogLine line,
           double now_s) {
    auto const left_out = pass(kind, now_s);
    if (!left_out) return;
    if (*left_out > 0) line.kv("left_out", *left_out);
    log_to_stderr(level, line);
  }

 private:
  static constexpr std::size_t kinds_max = 1000;
  struct Entry {
    double written_s = 0;
    unsigned left_out = 0;
  };
  double interval_s_;
  std::map<std::string, Entry> entries_;
};

}  // namespace gleaner
