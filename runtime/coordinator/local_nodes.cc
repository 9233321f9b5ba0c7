// SPDX-License-Identifier: Apache-2.0
/// Nodes without Slurm: processes on this machine, added and taken by hand.
#include "runtime/coordinator/local_nodes.hh"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <sstream>

#include "core/clock.hh"
#include "core/log.hh"
#include "runtime/os/owned_directory.hh"

namespace gleaner::coordinator {

Result<std::unique_ptr<LocalNodes>> LocalNodes::make(asio::io_context& io,
                                                     std::string const& dir,
                                                     int nodes, int nodes_min,
                                                     OnMessage on_message) {
  auto const path = dir + "/control";
  std::error_code ignored;
  std::filesystem::create_directories(dir, ignored);
  ::unlink(path.c_str());
  // Open for writing too: the pipe must not end when a writer closes it.
  int const fd = ::mkfifo(path.c_str(), S_IRUSR | S_IWUSR) == 0
                     ? ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)
                     : -1;
  if (fd < 0)
    return Error{Errc::io, "cannot make the pipe " + path + " (" +
                               std::strerror(errno) + ")"};
  return std::unique_ptr<LocalNodes>(
      new LocalNodes(io, fd, path, nodes, nodes_min, std::move(on_message)));
}

LocalNodes::LocalNodes(asio::io_context& io, int fd, std::string path,
                       int nodes, int nodes_min, OnMessage on_message)
    : control_(io, fd),
      path_(std::move(path)),
      nodes_(nodes),
      nodes_min_(nodes_min),
      on_message_(std::move(on_message)) {}

LocalNodes::~LocalNodes() { close(); }

void LocalNodes::start() {
  asio::post(control_.get_executor(), [this] {
    if (!control_.is_open()) return;
    msg::Registered registered;
    registered.nodes_min = nodes_min_;
    registered.nodes_max = std::numeric_limits<int>::max();
    on_message_(registered);
    for (int i = 0; i < nodes_; ++i) grant();
    read_lines();
  });
}

void LocalNodes::send(msg::FromCoordinator const& message) {
  if (auto const* failed = std::get_if<msg::LeaseFailed>(&message))
    log_to_stderr(LogLevel::error, LogLine("node_not_started")
                                       .kv("node", failed->node)
                                       .kv("why", failed->why));
  // The node is this machine, and no other agent may come that would do it.
  if (std::holds_alternative<msg::LeaseEnded>(message))
    os::OwnedDirectory::remove_abandoned();
}

void LocalNodes::close() {
  if (!control_.is_open()) return;
  asio::error_code ignored;
  control_.close(ignored);
  ::unlink(path_.c_str());
}

void LocalNodes::grant() {
  msg::Grant grant;
  grant.node = "l" + std::to_string(++last_);
  on_message_(grant);
}

void LocalNodes::read_lines() {
  control_.async_read_some(
      asio::buffer(input_), [this](asio::error_code error, std::size_t n) {
        if (error) return;
        for (char const c : std::string_view(input_.data(), n)) {
          if (c != '\n') {
            line_ += c;
            continue;
          }
          obey(line_);
          line_.clear();
          if (!control_.is_open()) return;
        }
        read_lines();
      });
}

void LocalNodes::obey(std::string const& line) {
  std::istringstream words(line);
  std::string verb, node, rest;
  double seconds = 0;
  if (words >> verb && verb == "add" && !(words >> rest)) return grant();
  if (verb == "remove" && words >> node >> seconds && seconds >= 0 &&
      !(words >> rest))
    return on_message_(
        msg::GiveBack{{node}, SystemClock().wall_s() + seconds, "asked for"});
  log_to_stderr(LogLevel::error,
                LogLine("control_line_unreadable")
                    .kv("line", line)
                    .kv("expected", "'add' or 'remove NODE SECONDS'"));
}

}  // namespace gleaner::coordinator
