// SPDX-License-Identifier: Apache-2.0
/// A directory in memory that goes with its owner, however that ends.
#include "runtime/os/owned_directory.hh"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace gleaner::os {
namespace {

namespace fs = std::filesystem;

fs::path base() {
  if (::access("/dev/shm", W_OK | X_OK) == 0) return "/dev/shm";
  char const* tmp = std::getenv("TMPDIR");
  return tmp && *tmp ? tmp : "/tmp";
}

std::string prefix() { return "gleaner-" + std::to_string(::geteuid()) + '-'; }

/// An open directory with a lock on it; none when another process has it.
Fd locked(fs::path const& path) {
  Fd dir(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (dir && ::flock(dir.get(), LOCK_EX | LOCK_NB) != 0) return Fd();
  return dir;
}

}  // namespace

Result<OwnedDirectory> OwnedDirectory::make() {
  OwnedDirectory made;
  // Another process may take a directory that is not locked yet for abandoned.
  for (int attempt = 0; attempt < 3 && made.path_.empty(); ++attempt) {
    auto name = (base() / (prefix() + "XXXXXX")).string();
    if (!::mkdtemp(name.data()))
      return Error{Errc::io, "cannot make the directory " + name + " (" +
                                 std::strerror(errno) + ")"};
    made.lock_ = locked(name);
    if (made.lock_ && fs::exists(name)) made.path_ = name;
  }
  if (made.path_.empty())
    return Error{Errc::io, "cannot lock a directory in " + base().string()};
  return made;
}

OwnedDirectory::~OwnedDirectory() {
  std::error_code ignored;
  if (lock_) fs::remove_all(path_, ignored);
}

void OwnedDirectory::remove_abandoned() {
  std::error_code ignored;
  for (auto const& entry : fs::directory_iterator(base(), ignored)) {
    struct stat info {};
    if (entry.path().filename().string().rfind(prefix(), 0) != 0 ||
        ::lstat(entry.path().c_str(), &info) != 0 ||
        info.st_uid != ::geteuid() || !S_ISDIR(info.st_mode))
      continue;
    if (auto const lock = locked(entry.path()))
      fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace gleaner::os
