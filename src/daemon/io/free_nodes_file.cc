// SPDX-License-Identifier: Apache-2.0
/// Replaced as a whole: a reader sees one version or the other.
#include "daemon/io/free_nodes_file.hh"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace gleaner::daemon {
namespace {

constexpr double believed_s = 3;   ///< decisions are at most a second apart
constexpr double renewed_s = 1.5;  ///< before that is over

Error failure(std::string const& path) {
  return {Errc::io, "cannot write " + path + " (" + std::strerror(errno) + ")"};
}

}  // namespace

Result<void> FreeNodesFile::publish(FreeNodes free, TimeS now) {
  if (free.partitions.empty()) {
    remove();
    return {};
  }
  if (free.partitions == last_.partitions && free.notice_s == last_.notice_s &&
      now < last_.until_s - renewed_s)
    return {};
  free.until_s = now + believed_s;
  auto const text = to_text(free);
  auto const next = path_ + ".new";
  int const file =
      open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return failure(next);
  bool const whole = write(file, text.data(), text.size()) ==
                     static_cast<ssize_t>(text.size());
  close(file);
  if (!whole || std::rename(next.c_str(), path_.c_str()) != 0)
    return failure(path_);
  last_ = std::move(free);
  return {};
}

void FreeNodesFile::remove() {
  if (last_.partitions.empty()) return;
  unlink(path_.c_str());
  last_ = {};
}

}  // namespace gleaner::daemon
