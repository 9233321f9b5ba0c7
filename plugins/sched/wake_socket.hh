// SPDX-License-Identifier: Apache-2.0
/// RUN_DIR/wake.sock: what comes in is thrown away, that it came counts.
#pragma once

#include <string>

namespace gleaner {

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

  /// Empty the socket; true when something was in it.
  bool drain();

 private:
  int fd_ = -1;
  std::string path_;
};

}  // namespace gleaner
