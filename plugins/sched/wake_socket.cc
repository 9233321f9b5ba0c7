// SPDX-License-Identifier: Apache-2.0
/// A datagram socket that its owner alone may write to.
#include "plugins/sched/wake_socket.hh"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "plugins/hint.hh"

namespace gleaner::sched {

bool WakeSocket::bind(std::string const& path) {
  if (fd_ >= 0 && path == path_) return true;
  close();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return false;
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  fd_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  (void)unlink(path.c_str());
  if (fd_ < 0 || ::bind(fd_, reinterpret_cast<sockaddr const*>(&address),
                        sizeof address) != 0) {
    int const why = errno;
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
    errno = why;
    return false;
  }
  (void)chmod(path.c_str(), S_IRUSR | S_IWUSR);
  path_ = path;
  return true;
}

void WakeSocket::close() {
  if (fd_ < 0) return;
  ::close(fd_);
  (void)unlink(path_.c_str());
  fd_ = -1;
}

std::optional<slurm::ScanPacer::Cause> WakeSocket::drain() {
  using Cause = slurm::ScanPacer::Cause;
  char buffer[256];
  std::optional<Cause> cause;
  while (fd_ >= 0) {
    auto const got = recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT);
    if (got < 0) break;
    std::string_view const hint(buffer, static_cast<std::size_t>(got));
    if (hint == plugins::hint_of_training) cause = Cause::training;
    if (!cause) cause = Cause::rigid_job;
  }
  return cause;
}

}  // namespace gleaner::sched
