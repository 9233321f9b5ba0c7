// SPDX-License-Identifier: Apache-2.0
#include "runtime/comm/tcp/traffic.hh"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "runtime/os/tcp_silence.hh"

namespace gleaner::comm::tcp {

Result<void> Traffic::wait(std::span<Wait const> waits) const {
  constexpr std::size_t links_max = 3;
  std::array<pollfd, links_max + 1> polled;
  polled[0] = stop_.polled();
  std::size_t n = 1;
  for (auto const& wait : waits)
    if (wait.link && wait.events && n < polled.size())
      polled[n++] = {wait.link->socket(), wait.events, 0};
  int const limit_ms =
      silence_s_ > 0 ? std::max(1, int(silence_s_ * 1000 / 4)) : -1;
  auto const come = ::poll(polled.data(), nfds_t(n), limit_ms);
  if (stop_.raised()) return StopSignal::error();
  if (come < 0 && errno != EINTR)
    return Error{Errc::io, std::string("data plane: cannot wait (") +
                               std::strerror(errno) + ")"};
  if (come != 0) return {};
  for (auto const& wait : waits)
    if (wait.link && wait.events &&
        os::is_silent(wait.link->socket(), silence_s_))
      return Error{Errc::unavailable, "data plane: the machine of rank " +
                                          std::to_string(wait.link->peer()) +
                                          " is silent"};
  return {};
}

Result<void> Traffic::exchange(Sending out, Receiving in,
                               std::uint64_t operation,
                               std::uint32_t piece) const {
  if (out.bytes == 0) out.link = nullptr;
  if (in.bytes == 0) in.link = nullptr;
  if (out.link) out.link->begin_send(operation, piece, out.bytes);
  if (in.link) in.link->begin_receive(operation, piece, in.bytes);
  auto const* from = static_cast<char const*>(out.data);
  auto* to = static_cast<char*>(in.data);
  while (out.bytes > 0 || in.bytes > 0) {
    std::size_t moved = 0;
    if (out.bytes > 0) {
      auto const sent = out.link->send(from, out.bytes);
      if (!sent) return sent.error();
      from += *sent;
      out.bytes -= *sent;
      moved += *sent;
    }
    if (in.bytes > 0) {
      auto const come = in.link->receive(to, in.bytes);
      if (!come) return come.error();
      to += *come;
      in.bytes -= *come;
      moved += *come;
    }
    if (moved > 0 || (out.bytes == 0 && in.bytes == 0)) continue;
    Wait const waits[] = {{out.link, short(out.bytes > 0 ? POLLOUT : 0)},
                          {in.link, short(in.bytes > 0 ? POLLIN : 0)}};
    if (auto waited = wait(waits); !waited) return waited;
  }
  return {};
}

}  // namespace gleaner::comm::tcp
