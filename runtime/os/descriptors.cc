// SPDX-License-Identifier: Apache-2.0
#include "runtime/os/descriptors.hh"

#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstring>

namespace gleaner::os {
namespace {

/// Room for one descriptor, aligned as the headers in it must be.
union Control {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

}  // namespace

ssize_t send_with_fd(int socket, void const* data, std::size_t bytes, int fd) {
  iovec part{const_cast<void*>(data), bytes};
  Control control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (fd >= 0) {
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    auto* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  ssize_t sent;
  do sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent;
}

ssize_t receive_with_fd(int socket, void* data, std::size_t bytes, Fd* fd) {
  iovec part{data, bytes};
  Control control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = &control;
  message.msg_controllen = sizeof control;
  ssize_t got;
  do got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  auto const* header = got >= 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header && header->cmsg_level == SOL_SOCKET &&
      header->cmsg_type == SCM_RIGHTS) {
    int taken = -1;
    std::memcpy(&taken, CMSG_DATA(header), sizeof taken);
    *fd = Fd(taken);
  }
  return got;
}

}  // namespace gleaner::os
