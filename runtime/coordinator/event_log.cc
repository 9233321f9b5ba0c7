// SPDX-License-Identifier: Apache-2.0
/// What happened to a training, for later: events.jsonl.
#include "runtime/coordinator/event_log.hh"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

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

std::string line_of(Clock const& clock, std::string const& event,
                    nlohmann::json fields) {
  fields["t"] = clock.wall_s();
  fields["event"] = event;
  return fields.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
         '\n';
}

}  // namespace

Result<EventLog> EventLog::open(std::string const& dir, Clock const& clock) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error)
    return Error{Errc::io, "cannot make directory " + dir + " (" +
                               error.message() +
                               ") [name another one with --dir]"};
  auto const path = dir + "/events.jsonl";
  os::Fd file(
      ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644));
  if (!file)
    return Error{Errc::io,
                 "cannot write " + path + " (" + std::strerror(errno) + ")"};
  end_last_line(file);
  os::LineFile::Hooks hooks;
  hooks.lost_line = [&clock](std::uint64_t lost) {
    return line_of(clock, "events_lost", {{"n", lost}});
  };
  hooks.on_trouble = [path](std::string const& why) {
    log_to_stderr(
        LogLevel::error,
        LogLine("events_not_written").kv("path", path).kv("why", why));
  };
  return EventLog(
      std::make_unique<os::LineFile>(std::move(file), std::move(hooks)), clock);
}

void EventLog::write(std::string const& event, nlohmann::json fields) {
  file_->write(line_of(clock_, event, std::move(fields)));
}

}  // namespace gleaner::coordinator
