// SPDX-License-Identifier: Apache-2.0
/// Reading and replacing the file.
#include "daemon/io/orders_file.hh"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

namespace gleaner::daemon {
namespace {

std::string path_in(std::string const& state_dir) {
  return state_dir + "/orders.json";
}

Error failed(char const* what, std::string const& path) {
  return {Errc::io, std::string("cannot ") + what + " " + path + " (" +
                        std::strerror(errno) + ")"};
}

/// All of it on disk, or false with errno set.
bool write_whole(std::string const& path, std::string const& text) {
  int const fd =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  bool const written = ::write(fd, text.data(), text.size()) ==
                           static_cast<ssize_t>(text.size()) &&
                       ::fsync(fd) == 0;
  int const code = errno;
  ::close(fd);
  errno = code;
  return written;
}

}  // namespace

Result<Orders> load_orders(std::string const& state_dir) {
  auto const path = path_in(state_dir);
  std::ifstream file(path);
  if (!file && errno == ENOENT) return Orders();
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) return failed("read", path);
  Orders orders;
  auto const done = orders.restore(nlohmann::json::parse(text, nullptr, false));
  if (!done)
    return Error{Errc::io, "cannot understand " + path + " (" +
                               done.error().message +
                               ") [remove it, and drain again what is to stay "
                               "drained]"};
  return orders;
}

Result<void> save_orders(std::string const& state_dir, Orders const& orders) {
  auto const path = path_in(state_dir), next = path + ".new";
  if (!write_whole(next, orders.to_json().dump() + "\n"))
    return failed("write", next);
  if (::rename(next.c_str(), path.c_str()) != 0) return failed("replace", path);
  return {};
}

}  // namespace gleaner::daemon
