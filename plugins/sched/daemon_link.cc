// SPDX-License-Identifier: Apache-2.0
/// A non-blocking UNIX stream socket with frames on it.
#include "plugins/sched/daemon_link.hh"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "proto/daemon_messages.hh"

namespace gleaner::sched {
namespace {

Error lost(char const* doing, int code) {
  return {Errc::unavailable,
          std::string(doing) + " gleanerd: " + std::strerror(code)};
}

/// Only root and the user we run as may steer us.
Result<void> check_peer(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return lost("identify", errno);
  if (peer.uid == 0 || peer.uid == geteuid()) return {};
  return Error{Errc::denied, "gleanerd's socket belongs to uid " +
                                 std::to_string(peer.uid) +
                                 " (neither root nor SlurmUser)"};
}

}  // namespace

Result<void> DaemonLink::connect(std::string const& path,
                                 nlohmann::json const& hello) {
  close();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return Error{Errc::invalid_argument, "path too long: " + path};
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd_ < 0) return lost("connect to", errno);
  if (::connect(fd_, reinterpret_cast<sockaddr const*>(&address),
                sizeof address) != 0) {
    auto error = lost("connect to", errno);
    close();
    return error;
  }
  if (auto peer = check_peer(fd_); !peer) {
    close();
    return peer;
  }
  sending_ = proto::encode_frame(hello);
  return {};
}

void DaemonLink::send(nlohmann::json const& message) {
  if (connected()) next_ = proto::encode_frame(message);
}

Result<DaemonLink::Asked> DaemonLink::ready() {
  if (!connected()) return Asked{};
  auto wrote = write_some();
  auto asked = wrote ? read_some() : Result<Asked>(wrote.error());
  if (!asked) close();
  return asked;
}

Result<void> DaemonLink::write_some() {
  for (;;) {
    if (sending_.empty()) {
      if (!next_) return {};
      sending_ = std::move(*next_);
      next_.reset();
    }
    auto const sent = ::send(fd_, sending_.data(), sending_.size(),
                             MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EAGAIN || errno == EINTR) return {};
      return lost("write to", errno);
    }
    sending_.erase(0, static_cast<std::size_t>(sent));
  }
}

Result<DaemonLink::Asked> DaemonLink::read_some() {
  char buffer[4096];
  auto const got = recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT);
  if (got == 0) return lost("read from", ECONNRESET);
  if (got < 0) {
    if (errno == EAGAIN || errno == EINTR) return Asked{};
    return lost("read from", errno);
  }
  reader_.append({buffer, static_cast<std::size_t>(got)});
  Asked asked;
  for (;;) {
    auto frame = reader_.next();
    if (!frame) return frame.error();
    if (!*frame) return asked;
    auto message = msg::parse_to_plugin(**frame);
    if (!message) return message.error();
    if (std::holds_alternative<msg::ScanNow>(*message)) ++asked.scans;
    if (std::holds_alternative<msg::LookAtQueue>(*message))
      asked.queue_look = true;
  }
}

void DaemonLink::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  sending_.clear();
  next_.reset();
  reader_ = {};
}

}  // namespace gleaner::sched
