// SPDX-License-Identifier: Apache-2.0
#include "runtime/os/tcp_silence.hh"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>

namespace gleaner::os {
namespace {

void set(int socket, int level, int option, int value) {
  // Fails for what is no TCP connection; that needs none of it.
  (void)::setsockopt(socket, level, option, &value, sizeof value);
}

}  // namespace

void keep_alive(int socket) {
  constexpr int interval_s = 1;  // the shortest there is
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, interval_s);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, interval_s);
  // The caller of is_silent() has its own limit.
  constexpr int probes_max = 127;
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, probes_max);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
}

bool is_silent(int socket, double seconds) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
    return false;
  auto const quiet_ms =
      std::min(info.tcpi_last_ack_recv, info.tcpi_last_data_recv);
  // While the peer's program does not read, the kernel asks for room, ever more
  // seldom: quiet alone proves nothing.  One question may be on its way.
  constexpr int in_vain = 2;
  return quiet_ms > seconds * 1000 &&
         info.tcpi_probes + info.tcpi_retransmits >= in_vain;
}

}  // namespace gleaner::os
