// SPDX-License-Identifier: Apache-2.0
/// What a listener does in a process that has no file descriptor left.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "proto/channel.hh"
#include "test/unit/catch.hh"

namespace gleaner::proto {
namespace {

/// No descriptor can be opened as long as this is there.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    auto none = before_;
    int const free = ::dup(STDIN_FILENO);
    none.rlim_cur = rlim_t(free);
    ::close(free);
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

/// What is written to standard error meanwhile.
class Stderr {
 public:
  Stderr() : kept_(::dup(STDERR_FILENO)) {
    file_ = ::memfd_create("stderr", MFD_CLOEXEC);
    ::dup2(file_, STDERR_FILENO);
  }
  ~Stderr() { ::dup2(kept_, STDERR_FILENO), ::close(kept_), ::close(file_); }

  std::string text() const {
    std::string text(65536, '\0');
    auto const n = ::pread(file_, text.data(), text.size(), 0);
    text.resize(n > 0 ? std::size_t(n) : 0);
    return text;
  }

 private:
  int kept_;
  int file_ = -1;
};

int lines_with(std::string const& text, std::string const& word) {
  int n = 0;
  for (auto at = text.find(word); at != std::string::npos;
       at = text.find(word, at + 1))
    ++n;
  return n;
}

TEST_CASE("without descriptors a listener says so, and accepts later") {
  asio::io_context io;
  int accepted = 0;
  auto listener = Listener::tcp(io, "127.0.0.1:0", [&](auto const& channel) {
    ++accepted;
    channel->close();
  });
  REQUIRE(listener);
  // Asio opens what it needs for timers with the first of them.
  asio::steady_timer timer(io, std::chrono::milliseconds(1));
  timer.async_wait([](auto) {});
  io.run_one();

  int const caller = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(std::uint16_t((*listener)->port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::size_t turns = 0;
  Stderr const log;
  {
    NoDescriptors const none;
    REQUIRE(::connect(caller, reinterpret_cast<sockaddr*>(&address),
                      sizeof address) == 0);
    turns = io.run_for(std::chrono::milliseconds(550));
  }
  CHECK(accepted == 0);
  CHECK(turns <= 20);  // it does not spin
  CHECK(lines_with(log.text(), "accept_failed") == 1);
  CHECK(lines_with(log.text(), "raise the limit of open files") == 1);
  for (int i = 0; i < 100 && accepted == 0; ++i)
    io.run_one_for(std::chrono::milliseconds(100));
  CHECK(accepted == 1);
  ::close(caller);
}

}  // namespace
}  // namespace gleaner::proto
