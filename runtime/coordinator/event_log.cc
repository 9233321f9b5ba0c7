// SPDX-License-Identifier: Apache-2.0
/// What happened to a training, for later: events.jsonl.
#include "runtime/coordinator/event_log.hh"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/log.hh"

namespace gleaner {

Result<EventLog> EventLog::open(std::string const& dir, Clock const& clock) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error)
    return Error{Errc::io, "cannot make directory " + dir + " (" +
                               error.message() +
                               ") [name another one with --dir]"};
  auto path = dir + "/events.jsonl";
  int const fd =
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0)
    return Error{Errc::io,
                 "cannot write " + path + " (" + std::strerror(errno) + ")"};
  return EventLog(fd, std::move(path), clock);
}

EventLog::EventLog(EventLog&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::move(other.path_)),
      clock_(other.clock_),
      failed_(other.failed_) {}

EventLog::~EventLog() {
  if (fd_ >= 0) ::close(fd_);
}

void EventLog::write(std::string const& event, nlohmann::json fields) {
  fields["t"] = clock_.wall_s();
  fields["event"] = event;
  auto const line =
      fields.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
      '\n';
  if (::write(fd_, line.data(), line.size()) ==
      static_cast<ssize_t>(line.size()))
    return;
  if (!std::exchange(failed_, true))
    log_to_stderr(LogLevel::error, LogLine("events_not_written")
                                       .kv("path", path_)
                                       .kv("why", std::strerror(errno)));
}

}  // namespace gleaner
