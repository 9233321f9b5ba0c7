// SPDX-License-Identifier: Apache-2.0
/// RUN_DIR/wake.sock: that something came in counts, and whether any of it
/// tells of a training.
#pragma once

#include <optional>
#include <string>

#include "slurm/scan_pacer.hh"

namespace gleaner::sched {

class WakeSocket {
 public:
  WakeSocket() = default;
  ~WakeSocket() { close(); }
  WakeSocket(WakeSocket const&) = delete;
  WakeSocket& operator=(WakeSocket const&) = delete;

  /// Does nothing when bound to `path` already; false when it cannot be, and
  /// errno says why.
  bool bind(std::string const& path);

  /// Nobody listens any more; the file is gone.
  void close();

  int fd() const { return fd_; }

  /// Empty the socket; what was in it, nothing when it was empty.
  std::optional<slurm::ScanPacer::Cause> drain();

 private:
  int fd_ = -1;
  std::string path_;
};

}  // namespace gleaner::sched
