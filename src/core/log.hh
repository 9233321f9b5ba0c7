// SPDX-License-Identifier: Apache-2.0
/// One line per event: `resize trainer=12 generation=7 nodes=n[1-2]`.
///
/// Formats only; where lines go is the caller's choice: gleanerd and the
/// coordinator write to standard error, plugins call slurm_info(), libgleaner
/// writes only when asked to.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

namespace gleaner {

enum class LogLevel { error, warn, info, debug };

/// "info" -> LogLevel::info; anything unknown is info.
LogLevel log_level(std::string_view name);
char const* name_of(LogLevel level);

/// Builds a line.  Values with spaces, quotes or control characters are quoted
/// and escaped, so that a user cannot forge a second line.
///
///     LogLine("lease_held").kv("node", "n3").kv("job", 17).text()
class LogLine {
 public:
  explicit LogLine(std::string_view event) : text_(event) {}

  LogLine& kv(std::string_view key, std::string_view value);
  LogLine& kv(std::string_view key, char const* value) {
    return kv(key, std::string_view(value));
  }
  LogLine& kv(std::string_view key, double value);
  template <class Int, std::enable_if_t<std::is_integral_v<Int>, int> = 0>
  LogLine& kv(std::string_view key, Int value) {
    return kv(key, std::string_view(std::to_string(value)));
  }

  std::string const& text() const { return text_; }

 private:
  std::string text_;
};

/// Write `TIME LEVEL LINE` to standard error if `level` is at least the level
/// set by set_log_level() (default info).  Thread-safe; one write(2) a line.
void log_to_stderr(LogLevel level, LogLine const& line);
void set_log_level(LogLevel level);

}  // namespace gleaner
