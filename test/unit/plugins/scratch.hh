// SPDX-License-Identifier: Apache-2.0
/// A directory of a test's own, and sockets in it.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "test/unit/catch.hh"

namespace gleaner::plugins {

/// Removed with all in it at the end.
class Scratch {
 public:
  Scratch() {
    char name[] = "/tmp/gleaner-test-XXXXXX";
    REQUIRE(mkdtemp(name));
    dir_ = name;
  }
  ~Scratch() { std::filesystem::remove_all(dir_); }
  Scratch(Scratch const&) = delete;
  Scratch& operator=(Scratch const&) = delete;

  std::string const& dir() const { return dir_; }
  std::string path(std::string const& name) const { return dir_ + "/" + name; }
  void write(std::string const& name, std::string const& text) const {
    std::ofstream(path(name)) << text;
  }

 private:
  std::string dir_;
};

inline sockaddr_un unix_address(std::string const& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

/// A bound UNIX socket.
class UnixSocket {
 public:
  UnixSocket(std::string const& path, int type)
      : fd_(socket(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    auto const address = unix_address(path);
    REQUIRE(bind(fd_, reinterpret_cast<sockaddr const*>(&address),
                 sizeof address) == 0);
  }
  ~UnixSocket() { close(fd_); }
  UnixSocket(UnixSocket const&) = delete;
  UnixSocket& operator=(UnixSocket const&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

class DatagramSocket : public UnixSocket {
 public:
  explicit DatagramSocket(std::string const& path)
      : UnixSocket(path, SOCK_DGRAM) {}

  /// The next datagram; "" when there is none.
  std::string receive() {
    char buffer[512];
    auto const got = recv(fd(), buffer, sizeof buffer, 0);
    return got < 0 ? "" : std::string(buffer, static_cast<std::size_t>(got));
  }
};

}  // namespace gleaner::plugins
