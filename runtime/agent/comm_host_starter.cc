// SPDX-License-Identifier: Apache-2.0
/// When is this node's comm host started?  When a member first asks for it.
#include "runtime/agent/comm_host_starter.hh"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/log.hh"

namespace gleaner::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds failure_pause{1};

/// $GLEANER_LIBEXEC, beside us, or in the build tree; "" when not installed.
std::string find_program() {
  std::error_code ignored;
  auto const here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  char const* libexec = std::getenv("GLEANER_LIBEXEC");
  for (fs::path const& dir :
       {fs::path(libexec ? libexec : ""), here, here / ".." / "comm_host"}) {
    auto const path = dir / "gleaner-comm-host";
    if (!dir.empty() && fs::is_regular_file(path, ignored))
      return fs::canonical(path, ignored).string();
  }
  return "";
}

void log_failure(Error const& why) {
  log_to_stderr(LogLevel::error,
                LogLine("comm_host_not_started").kv("why", why.message));
}

}  // namespace

CommHostStarter::CommHostStarter(asio::io_context& io,
                                 os::ChildProcesses& processes,
                                 os::ChildProcesses::Key key)
    : processes_(processes), key_(key), asked_(io), pause_(io) {}

std::string CommHostStarter::socket_path() {
  if (!tried_) {
    tried_ = true;
    program_ = find_program();
    if (!program_.empty())
      if (auto opened = open(); !opened) log_failure(opened.error());
  }
  return directory_ ? directory_->socket_path() : "";
}

Result<void> CommHostStarter::open() {
  auto directory = comm_host::CommDirectory::make();
  if (!directory) return directory.error();
  int const copy = ::dup(directory->listening());
  if (copy < 0)
    return Error{Errc::io, std::string("cannot copy a socket (") +
                               std::strerror(errno) + ")"};
  asked_.assign(copy);
  directory_.emplace(std::move(*directory));
  wait();
  return {};
}

void CommHostStarter::wait() {
  asked_.async_wait(asio::posix::stream_descriptor::wait_read,
                    [this](asio::error_code error) {
                      if (!error) start();
                    });
}

void CommHostStarter::start() {
  os::ChildCommand command;
  command.argv = {program_, "--dir", directory_->path()};
  for (char** entry = environ; *entry; ++entry)
    command.env.emplace_back(*entry);
  command.cwd = "/";
  // When we are killed it still removes its files.
  command.death_signal = SIGTERM;
  command.stdin_fd = directory_->listening();
  auto const pid = processes_.start(key_, command);
  if (pid) return;
  log_failure(pid.error());
  turn_away();
  wait_later();
}

/// Without descriptors no connection can be refused either: pause, so that a
/// waiting one does not make us retry endlessly.
void CommHostStarter::wait_later() {
  pause_.expires_after(failure_pause);
  pause_.async_wait([this](asio::error_code error) {
    if (!error) wait();
  });
}

/// Fail pending connections now instead of letting them time out.
void CommHostStarter::turn_away() {
  asked_.non_blocking(true);
  for (;;) {
    int const one =
        ::accept4(directory_->listening(), nullptr, nullptr, SOCK_CLOEXEC);
    if (one < 0) break;
    ::close(one);
  }
}

void CommHostStarter::ended() {
  log_failure({Errc::unavailable, "it ended [see above for the reason]"});
  turn_away();
  wait();
}

}  // namespace gleaner::agent
