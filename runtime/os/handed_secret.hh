// SPDX-License-Identifier: Apache-2.0
/// How does a training's secret reach its processes, but by no environment?
///
/// What is in an environment is in that of every process started from there,
/// in /proc, and in the logs of programs that print theirs.  So:
///
///     coordinator -> agent    the agent's standard input, through srun; there
///     it
///                             is wrapped (proto/wrapped_secret.hh)
///     agent -> member         a sealed memory file, left open for the member
///     user -> either          a file that only the user can read
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "core/result.hh"
#include "runtime/os/fd.hh"

namespace gleaner::os {

/// A pipe from which a line and the end can be read, for a child's standard
/// input.  `line` is called in a thread of its own, and may take its time; what
/// it fails with is logged, and then the pipe has no line.  Close-on-exec.
/// Fails with io.
Result<Fd> secret_pipe(std::function<Result<std::string>()> line);

/// The one line that secret_pipe() hands on, from its other end or through
/// srun.  Fails with timed_out, and with invalid_argument when there is none.
Result<std::string> read_secret_line(int fd, std::chrono::milliseconds limit);

/// The secret as a sealed file in memory, which no process can change.  Any
/// number of children may inherit it.  Close-on-exec, with a number that
/// scripts do not redirect.  Fails with io.
Result<Fd> secret_memory(std::string const& secret);

/// Read the file of secret_memory() in a process that inherited it under this
/// number, and close it, so that children of this process do not get it.  Fails
/// with invalid_argument if another file has that number, and leaves it open.
Result<std::string> take_secret(int fd);

/// The secret in a file: one word of at least 32 characters.  Fails with denied
/// if others may read or write it or it has another owner, with not_found, and
/// with invalid_argument; names the file and the
/// remedy.
Result<std::string> secret_of_file(std::string const& path);

}  // namespace gleaner::os
