// SPDX-License-Identifier: Apache-2.0
#include "runtime/comm/comm_gloo_sockets.hh"

#include <dirent.h>
#include <netdb.h>
#include <sys/socket.h>

#include <cstdlib>
#include <memory>
#include <optional>

#include "runtime/os/tcp_silence.hh"

namespace gleaner {
namespace {

struct End {
  std::string host;
  int port = 0;
};

using NameOf = int (*)(int, sockaddr*, socklen_t*);

/// One end of a socket; none if it has no such end or is no socket.
std::optional<End> end_of(int fd, NameOf name_of) {
  sockaddr_storage storage{};
  auto* address = reinterpret_cast<sockaddr*>(&storage);
  socklen_t size = sizeof storage;
  char host[NI_MAXHOST], port[NI_MAXSERV];
  if (name_of(fd, address, &size) != 0 ||
      (storage.ss_family != AF_INET && storage.ss_family != AF_INET6) ||
      ::getnameinfo(address, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return std::nullopt;
  return End{host, std::atoi(port)};
}

/// Either side may have connected to the other's port.
bool is_between(int fd, PairEnds const& ends) {
  auto const theirs = end_of(fd, ::getpeername);
  if (!theirs || theirs->host != ends.their_host) return false;
  if (theirs->port == ends.their_port) return true;
  auto const own = end_of(fd, ::getsockname);
  return own && own->host == ends.own_host && own->port == ends.own_port;
}

}  // namespace

int end_pair_when_silent(PairEnds const& ends, double seconds) {
  std::unique_ptr<DIR, int (*)(DIR*)> const open(::opendir("/proc/self/fd"),
                                                 ::closedir);
  int found = 0;
  while (auto const* entry = open ? ::readdir(open.get()) : nullptr) {
    char* end = nullptr;
    int const fd = int(std::strtol(entry->d_name, &end, 10));
    if (end == entry->d_name || *end != '\0' || !is_between(fd, ends)) continue;
    end_when_silent(fd, seconds);
    ++found;
  }
  return found;
}

}  // namespace gleaner
