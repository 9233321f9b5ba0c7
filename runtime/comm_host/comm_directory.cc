// SPDX-License-Identifier: Apache-2.0
/// Where a comm host listens and keeps its files; and who removes them.
#include "runtime/comm_host/comm_directory.hh"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace gleaner {
namespace {

namespace fs = std::filesystem;

Error system_error(std::string const& what) {
  return {Errc::io, what + " (" + std::strerror(errno) + ")"};
}

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

void remove_abandoned() {
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

Result<Fd> listen_on(std::string const& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return Error{Errc::io, "'" + path +
                               "' is too long for a socket [set "
                               "TMPDIR to a shorter path]"};
  path.copy(address.sun_path, path.size());
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket ||
      ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address),
             sizeof address) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0)
    return system_error("cannot listen on " + path);
  return socket;
}

}  // namespace

Result<CommDirectory> CommDirectory::make() {
  remove_abandoned();
  CommDirectory made;
  // Another process may take a directory that is not locked yet for abandoned.
  for (int attempt = 0; attempt < 3 && made.path_.empty(); ++attempt) {
    auto name = (base() / (prefix() + "XXXXXX")).string();
    if (!::mkdtemp(name.data()))
      return system_error("cannot make the directory " + name);
    made.lock_ = locked(name);
    if (made.lock_ && fs::exists(name)) made.path_ = name;
  }
  if (made.path_.empty())
    return Error{Errc::io, "cannot lock a directory in " + base().string()};
  auto socket = listen_on(made.socket_path());
  if (!socket) return socket.error();
  made.listening_ = std::move(*socket);
  return made;
}

CommDirectory::~CommDirectory() {
  std::error_code ignored;
  if (lock_) fs::remove_all(path_, ignored);
}

}  // namespace gleaner
