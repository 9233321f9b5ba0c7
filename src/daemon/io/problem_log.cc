// SPDX-License-Identifier: Apache-2.0
/// Opened for each line: an administrator may move the file at any time.
#include "daemon/io/problem_log.hh"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace gleaner::daemon {

Result<void> ProblemLog::add(std::string line) const {
  struct stat now {};
  if (stat(path_.c_str(), &now) == 0 &&
      static_cast<std::uint64_t>(now.st_size) > bytes_max_ &&
      std::rename(path_.c_str(), (path_ + ".1").c_str()) != 0)
    return error("rename");
  int const file =
      open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return error("open");
  line += '\n';
  Result<void> result;
  // One write: a line is whole or, on a full disk, told to be cut off.
  auto const written = write(file, line.data(), line.size());
  if (written < 0)
    result = error("write");
  else if (static_cast<std::size_t>(written) < line.size())
    errno = ENOSPC, result = error("write");
  close(file);
  return result;
}

Error ProblemLog::error(char const* doing) const {
  return {Errc::io, std::string("cannot ") + doing + " the problem_log " +
                        path_ + " (" + std::strerror(errno) + ")"};
}

}  // namespace gleaner::daemon
