// SPDX-License-Identifier: Apache-2.0
/// gleanerd's directories, and the lock that makes it the only one.
#pragma once

#include <string>

#include "core/config.hh"
#include "core/result.hh"

namespace gleaner::daemon {

/// Make run_dir (0711) and state_dir (0700) if they are missing.  Fails with
/// io, naming the directory; with denied when others may write there.
Result<void> make_directories(Config const& config);

/// Held as long as the process lives.
class StateLock {
 public:
  /// Fails with unavailable when another gleanerd has it.
  static Result<StateLock> take(std::string const& state_dir);
  StateLock(StateLock&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  StateLock& operator=(StateLock&&) = delete;
  ~StateLock();

 private:
  explicit StateLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace gleaner::daemon
