// SPDX-License-Identifier: Apache-2.0
/// Where a comm host listens and keeps its files.
///
/// Segments that comm processes share lie there too: in memory, and nothing of
/// it may stay on a node when the lease is over.
#pragma once

#include <string>
#include <utility>

#include "core/result.hh"
#include "runtime/os/fd.hh"
#include "runtime/os/owned_directory.hh"

namespace gleaner::comm_host {

class CommDirectory {
 public:
  /// A new one, for this user only, with a socket that listens in it.  Fails
  /// with io.
  static Result<CommDirectory> make();

  std::string const& path() const { return directory_.path(); }
  std::string socket_path() const { return path() + "/host.sock"; }

  /// The listening socket, to become gleaner-comm-host's standard input.
  int listening() const { return listening_.get(); }

 private:
  explicit CommDirectory(os::OwnedDirectory directory)
      : directory_(std::move(directory)) {}
  os::OwnedDirectory directory_;
  os::Fd listening_;
};

}  // namespace gleaner::comm_host
