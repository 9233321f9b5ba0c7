// SPDX-License-Identifier: Apache-2.0
/// What happened to a training, for later: events.jsonl.
#include "runtime/coordinator/event_log.hh"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/event_log_parts.hh"
#include "core/log.hh"

namespace gleaner::coordinator {
namespace {

/// Ends a line that an earlier writer was killed in.
void end_last_line(os::Fd const& file) {
  struct stat status {};
  char last = '\n';
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  if (::pread(file.get(), &last, 1, status.st_size - 1) == 1 && last != '\n')
      [[maybe_unused]]
    auto const n = ::write(file.get(), "\n", 1);
}

std::string line_of(nlohmann::json const& event) {
  return event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
         '\n';
}

nlohmann::json event_of(Clock const& clock, std::string const& event,
                        nlohmann::json fields) {
  fields["t"] = clock.wall_s();
  fields["event"] = event;
  return fields;
}

os::Fd open_log(std::string const& dir) {
  return os::Fd(::open(event_log_path(dir).c_str(),
                       O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644));
}

/// What was written becomes a part of its own, and the oldest parts go.
os::Fd begin_part(std::string const& dir) {
  auto parts = event_log_parts(dir);
  parts.push_back(parts.empty() ? 1 : parts.back() + 1);
  auto const part = event_log_part_path(dir, parts.back());
  if (::rename(event_log_path(dir).c_str(), part.c_str()) != 0 &&
      errno != ENOENT)
    return {};
  auto file = open_log(dir);
  for (std::size_t i = 0; i + (EventLog::parts - 1) < parts.size(); ++i)
    ::unlink(event_log_part_path(dir, parts[i]).c_str());
  return file;
}

/// None of what is no file, such as a pipe.
std::optional<std::uint64_t> size_of(os::Fd const& file) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  return std::uint64_t(status.st_size);
}

}  // namespace

Result<EventLog> EventLog::open(std::string const& dir, Clock const& clock,
                                std::uint64_t bytes_max) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error)
    return Error{Errc::io, "cannot make directory " + dir + " (" +
                               error.message() +
                               ") [name another one with --dir]"};
  auto const path = event_log_path(dir);
  auto file = open_log(dir);
  if (!file)
    return Error{Errc::io,
                 "cannot write " + path + " (" + std::strerror(errno) + ")"};
  end_last_line(file);
  auto const bytes = size_of(file);
  os::LineFile::Hooks hooks;
  hooks.lost_line = [&clock](std::uint64_t lost) {
    return line_of(event_of(clock, "events_lost", {{"n", lost}}));
  };
  hooks.on_trouble = [path](std::string const& why) {
    log_to_stderr(
        LogLevel::error,
        LogLine("events_not_written").kv("path", path).kv("why", why));
  };
  hooks.next_file = [dir] { return begin_part(dir); };
  EventLog log(
      std::make_unique<os::LineFile>(std::move(file), std::move(hooks)), clock);
  log.bytes_ = bytes.value_or(0);
  if (bytes) log.bytes_max_ = (bytes_max + parts - 1) / parts;
  return log;
}

void EventLog::write(std::string const& event, nlohmann::json fields) {
  auto const next = event_of(clock_, event, std::move(fields));
  auto line = line_of(next);
  if (bytes_max_ > 0 && bytes_ > 0 && bytes_ + line.size() > bytes_max_) {
    auto head = line_of(event_of(clock_, "continued", head_.fields()));
    auto const head_bytes = head.size();
    if (file_->write_in_next_file(std::move(head))) bytes_ = head_bytes;
  }
  head_.take(next);
  bytes_ += line.size();
  file_->write(std::move(line));
}

}  // namespace gleaner::coordinator
