// SPDX-License-Identifier: Apache-2.0
/// Directories and lock, on POSIX.
#include "daemon/io/state_dir.hh"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace gleaner::daemon {
namespace {

Result<void> make_directory(std::string const& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) == 0) {
    ::chmod(path.c_str(), mode);  // whatever the umask
    return {};
  }
  struct stat info {};
  if (errno != EEXIST || ::stat(path.c_str(), &info) != 0)
    return Error{Errc::io, "cannot make the directory " + path + " (" +
                               std::strerror(errno) + ")"};
  if (!S_ISDIR(info.st_mode)) return Error{Errc::io, path + " is no directory"};
  if (info.st_mode & (S_IWGRP | S_IWOTH))
    return Error{Errc::denied, "others may write to " + path +
                                   " (they could pose as gleanerd) [chmod "
                                   "go-w]"};
  return {};
}

}  // namespace

Result<void> make_directories(Config const& config) {
  if (auto done = make_directory(config.run_dir, 0711); !done) return done;
  return make_directory(config.state_dir, 0700);
}

Result<StateLock> StateLock::take(std::string const& state_dir) {
  auto const path = state_dir + "/gleanerd.lock";
  int const fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0)
    return Error{Errc::io,
                 "cannot open " + path + " (" + std::strerror(errno) + ")"};
  StateLock lock(fd);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0)
    return Error{Errc::unavailable,
                 "another gleanerd uses " + state_dir +
                     " (two would lend the same nodes) [stop it first]"};
  return lock;
}

StateLock::~StateLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace gleaner::daemon
