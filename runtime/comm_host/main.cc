// SPDX-License-Identifier: Apache-2.0
/// gleaner-comm-host: the command line of the comm host.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>

#include "core/log.hh"
#include "runtime/comm_host/comm_host.hh"

namespace {

using namespace gleaner;

/// To end must not depend on anything: then the kernel does it, and the agent
/// cleans up.
constexpr unsigned end_s_max = 3;

std::string beside_us(std::string const& program) {
  std::error_code ignored;
  auto const self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return (self.parent_path() / program).string();
}

/// What a comm host that was killed has left here, but not our socket.
void remove_leftovers(std::string const& dir) {
  std::error_code ignored;
  for (auto const& entry : std::filesystem::directory_iterator(dir, ignored))
    if (entry.is_directory(ignored))
      std::filesystem::remove_all(entry.path(), ignored);
}

int serve(std::string const& dir) {
  remove_leftovers(dir);
  asio::io_context io;
  asio::signal_set signals(io, SIGTERM, SIGINT, SIGHUP);
  signals.async_wait([&](asio::error_code, int) {
    ::alarm(end_s_max);
    io.stop();
  });
  comm_host::CommHost host(io,
                           {STDIN_FILENO, dir, beside_us("gleaner-comm-mpi")});
  if (auto started = host.start(); !started) {
    log_to_stderr(LogLevel::error,
                  LogLine("comm_host").kv("why", started.error().message));
    return 1;
  }
  io.run();
  host.end();
  std::error_code ignored;
  std::filesystem::remove_all(dir, ignored);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    CLI::App app{
        "Starts the processes that run Open MPI for the members of a training "
        "on this node.  Started by gleaner-agent when the first member asks, "
        "with the socket to listen on as standard input; see gleaner(7)."};
    std::string dir;
    app.add_option("--dir", dir, "Where temporary files go")->required();
    CLI11_PARSE(app, argc, argv);
    if (char const* level = std::getenv("GLEANER_LOG"))
      set_log_level(log_level(level));
    // PMIx's threads do not end by themselves.
    auto const code = serve(dir);
    ::_exit(code);
  } catch (std::exception const& e) {
    log_to_stderr(LogLevel::error, LogLine("comm_host").kv("why", e.what()));
    ::_exit(1);
  }
}
