// SPDX-License-Identifier: Apache-2.0
#include "runtime/comm/comm_host_link.hh"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/os/descriptors.hh"

namespace gleaner::comm {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

Error host_lost() {
  return {Errc::unavailable, "the comm host of this node is gone"};
}

}  // namespace

bool readable(int fd, milliseconds wait) {
  pollfd entry{fd, POLLIN, 0};
  auto const end = Clock::now() + wait;
  for (;;) {
    auto const left = std::chrono::duration_cast<milliseconds>(
        end - Clock::now() + milliseconds(1));
    int const n = ::poll(&entry, 1, std::max(0, int(left.count())));
    if (n >= 0 || errno != EINTR) return n > 0;
  }
}

Result<HostLink> HostLink::open(std::string const& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return Error{Errc::invalid_argument,
                 "GLEANER_COMM_HOST is '" + path + "', too long for a socket"};
  path.copy(address.sun_path, path.size());
  os::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket || ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address),
                           sizeof address) != 0)
    return Error{Errc::unavailable,
                 "cannot reach the comm host of this node at '" + path + "' (" +
                     std::strerror(errno) +
                     ") [it is gleaner-agent's: is the agent alive?]"};
  return HostLink(std::move(socket));
}

Result<void> HostLink::give(int descriptor) {
  if (os::send_with_fd(socket(), "g", 1, descriptor) != 1) return host_lost();
  return {};
}

Result<void> HostLink::send(msg::FromPlane const& message) {
  auto const frame = proto::encode_frame(to_json(message));
  for (std::size_t at = 0; at < frame.size();) {
    auto const n =
        os::send_with_fd(socket(), frame.data() + at, frame.size() - at, -1);
    if (n <= 0) return host_lost();
    at += std::size_t(n);
  }
  return {};
}

Result<std::optional<msg::ToPlane>> HostLink::take() {
  if (!more_) {
    std::array<char, 65536> bytes;
    auto const n = ::recv(socket(), bytes.data(), bytes.size(), 0);
    if (n < 0 && errno == EINTR) return std::optional<msg::ToPlane>();
    if (n <= 0) return host_lost();
    reader_.append({bytes.data(), std::size_t(n)});
  }
  auto json = reader_.next();
  if (!json) return json.error();
  more_ = json->has_value();
  if (!more_) return std::optional<msg::ToPlane>();
  auto message = msg::parse_to_plane(**json);
  if (!message) return message.error();
  return std::optional(std::move(*message));
}

Result<msg::ToPlane> HostLink::wait(Clock::time_point end) {
  for (;;) {
    auto const left =
        std::chrono::duration_cast<milliseconds>(end - Clock::now());
    if (!more_ && !readable(socket(), std::max(milliseconds(0), left)))
      return Error{Errc::timed_out, "the comm host of this node is silent"};
    auto message = take();
    if (!message) return message.error();
    if (*message) return std::move(**message);
  }
}

}  // namespace gleaner::comm
