// SPDX-License-Identifier: Apache-2.0
/// How open files are given to another process, through a UNIX socket.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "runtime/os/fd.hh"

namespace gleaner::os {

/// sendmsg() with one descriptor, none when it is -1; no SIGPIPE.  Returns
/// what sendmsg() does.
ssize_t send_with_fd(int socket, void const* data, std::size_t bytes, int fd);

/// recvmsg() with at most one descriptor, close-on-exec; `fd` is left alone
/// when none comes.  Returns what recvmsg() does: 0 at the end.
ssize_t receive_with_fd(int socket, void* data, std::size_t bytes, Fd* fd);

}  // namespace gleaner::os
