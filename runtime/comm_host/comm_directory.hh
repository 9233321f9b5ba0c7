// SPDX-License-Identifier: Apache-2.0
/// Where a comm host listens and keeps its files; and who removes them.
///
/// In memory where there is /dev/shm: segments that comm processes share lie
/// there.  The directory is locked while its owner lives, so that whoever makes
/// the next one on the node can remove what was left by a killed owner.
#pragma once

#include <string>

#include "core/result.hh"
#include "runtime/os/fd.hh"

namespace gleaner {

class CommDirectory {
 public:
  /// A new one, for this user only, with a socket that listens in it.  Removes
  /// those of this user's that nobody owns any more.  Fails with io.
  static Result<CommDirectory> make();

  CommDirectory(CommDirectory&&) = default;
  ~CommDirectory();  ///< removes it, with all that is in it

  std::string const& path() const { return path_; }
  std::string socket_path() const { return path_ + "/host.sock"; }

  /// The listening socket, to become gleaner-comm-host's standard input.
  int listening() const { return listening_.get(); }

 private:
  CommDirectory() = default;
  std::string path_;
  Fd lock_;
  Fd listening_;
};

}  // namespace gleaner
