// SPDX-License-Identifier: Apache-2.0
/// gleaner-coordinator: what `gleaner run` becomes.
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include "core/log.hh"
#include "core/log_output.hh"
#include "runtime/coordinator/coordinator.hh"
#include "runtime/os/line_file.hh"

namespace {

int refuse(std::string const& why) {
  log_to_stderr(gleaner::LogLevel::error,
                gleaner::LogLine("gleaner_run").kv("why", why));
  return 2;
}

/// The job's output lies where the user's files do, and may stand still with
/// them: a thread writes what is logged.
class LogFile {
 public:
  LogFile()
      : lines_(gleaner::os::Fd(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)),
               {lost_line, nullptr}) {
    gleaner::set_log_output(
        [this](std::string line) { lines_.write(std::move(line)); });
  }
  ~LogFile() { gleaner::set_log_output(nullptr); }

 private:
  static std::string lost_line(std::uint64_t lost) {
    return gleaner::LogLine("log_lines_lost").kv("n", lost).text() + '\n';
  }
  gleaner::os::LineFile lines_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    auto options = gleaner::coordinator::read_options(argc, argv);
    if (!options) return refuse(options.error().message);
    if (options->argv.empty()) return 0;
    auto coordinator =
        gleaner::coordinator::Coordinator::make(std::move(*options));
    if (!coordinator) return refuse(coordinator.error().message);
    LogFile const log;
    return (*coordinator)->run();
  } catch (std::exception const& e) {
    return refuse(e.what());
  }
}
