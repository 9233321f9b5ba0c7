// SPDX-License-Identifier: Apache-2.0
/// Where a comm host listens and keeps its files.
#include "runtime/comm_host/comm_directory.hh"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

namespace gleaner::comm_host {
namespace {

Result<os::Fd> listen_on(std::string const& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return Error{Errc::io, "'" + path +
                               "' is too long for a socket [set "
                               "TMPDIR to a shorter path]"};
  path.copy(address.sun_path, path.size());
  os::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket ||
      ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address),
             sizeof address) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0)
    return Error{Errc::io, "cannot listen on " + path + " (" +
                               std::strerror(errno) + ")"};
  return socket;
}

}  // namespace

Result<CommDirectory> CommDirectory::make() {
  auto directory = os::OwnedDirectory::make();
  if (!directory) return directory.error();
  CommDirectory made(std::move(*directory));
  auto socket = listen_on(made.socket_path());
  if (!socket) return socket.error();
  made.listening_ = std::move(*socket);
  return made;
}

}  // namespace gleaner::comm_host
