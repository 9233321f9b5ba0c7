// SPDX-License-Identifier: Apache-2.0
/// Formats event lines and writes them to standard error.
#include "core/log.hh"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <utility>

#include "core/log_output.hh"

namespace gleaner {
namespace {

std::atomic<LogLevel> level_shown{LogLevel::info};

struct Output {
  std::mutex mutex;
  std::function<void(std::string)> write;
};
/// Never destroyed: a thread may log while the program ends.
Output& output() {
  static auto* const output = new Output;
  return *output;
}

bool needs_quotes(std::string_view value) {
  return value.empty() ||
         std::any_of(value.begin(), value.end(), [](unsigned char c) {
           return c <= ' ' || c == '"' || c == '\\' || c == 0x7f;
         });
}

std::string in_quotes(std::string_view value) {
  std::string text = "\"";
  for (unsigned char const c : value) {
    if (c == '"' || c == '\\') {
      text += '\\';
      text += static_cast<char>(c);
    } else if (c < ' ' || c == 0x7f) {
      std::array<char, 8> hex{};
      std::snprintf(hex.data(), hex.size(), "\\x%02x", c);
      text += hex.data();
    } else {
      text += static_cast<char>(c);
    }
  }
  return text + '"';
}

/// "2026-03-04T05:06:07.089Z"
std::string timestamp() {
  using namespace std::chrono;
  auto const now = system_clock::now();
  auto const seconds = system_clock::to_time_t(now);
  auto const ms =
      duration_cast<milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 40> text{};
  auto const n = std::strftime(text.data(), text.size(), "%FT%T", &utc);
  std::snprintf(text.data() + n, text.size() - n, ".%03dZ",
                static_cast<int>(ms));
  return text.data();
}

}  // namespace

LogLevel log_level(std::string_view name) {
  for (auto level : {LogLevel::error, LogLevel::warn, LogLevel::debug})
    if (name == name_of(level)) return level;
  return LogLevel::info;
}

char const* name_of(LogLevel level) {
  switch (level) {
    case LogLevel::error:
      return "error";
    case LogLevel::warn:
      return "warn";
    case LogLevel::info:
      return "info";
    case LogLevel::debug:
      return "debug";
  }
  return "info";
}

LogLine& LogLine::kv(std::string_view key, std::string_view value) {
  text_ += ' ';
  text_ += key;
  text_ += '=';
  text_ += needs_quotes(value) ? in_quotes(value) : std::string(value);
  return *this;
}

LogLine& LogLine::kv(std::string_view key, double value) {
  std::array<char, 32> text{};
  auto const [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value,
                    std::chars_format::general, 6);
  (void)error;  // 32 characters hold every double at 6 digits
  return kv(key, std::string_view(text.data(), end - text.data()));
}

void set_log_level(LogLevel level) { level_shown = level; }

void set_log_output(std::function<void(std::string)> write) {
  std::lock_guard lock(output().mutex);
  output().write = std::move(write);
}

void write_to_log(std::string text) {
  {
    std::lock_guard lock(output().mutex);
    if (output().write) return output().write(std::move(text));
  }
  // One write, so that lines of several processes do not mix.  A log that
  // cannot be written must not stop what is being logged.
  [[maybe_unused]] auto const written =
      ::write(STDERR_FILENO, text.data(), text.size());
}

void log_to_stderr(LogLevel level, LogLine const& line) {
  if (level > level_shown.load()) return;
  write_to_log(timestamp() + ' ' + name_of(level) + ' ' + line.text() + '\n');
}

}  // namespace gleaner
