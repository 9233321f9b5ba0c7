// SPDX-License-Identifier: Apache-2.0
/// The scavenger's connection to gleanerd, which may not be there.
///
/// Nothing here waits: the owner polls fd() and calls ready().  A gleanerd that
/// does not read is sent the newest snapshot only, once it reads again.
#pragma once

#include <optional>
#include <string>

#include "core/result.hh"
#include "proto/frame.hh"

namespace gleaner::sched {

class DaemonLink {
 public:
  DaemonLink() = default;
  ~DaemonLink() { close(); }
  DaemonLink(DaemonLink const&) = delete;
  DaemonLink& operator=(DaemonLink const&) = delete;

  /// Connect to the UNIX socket `path` and say `hello`.  Fails with unavailable
  /// when nobody listens, with denied when the listener is neither root nor
  /// this process's own user.
  Result<void> connect(std::string const& path, nlohmann::json const& hello);

  bool connected() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  bool wants_to_write() const { return !sending_.empty() || next_; }

  /// Queue a message, in place of one still queued.
  void send(nlohmann::json const& message);

  /// What gleanerd has asked for.
  struct Asked {
    int scans = 0;
    bool queue_look = false;
  };
  /// Read and write what is possible now.  Fails, with the connection closed,
  /// when it is lost or when what came is no message.
  Result<Asked> ready();

  void close();

 private:
  Result<void> write_some();
  Result<Asked> read_some();

  int fd_ = -1;
  std::string sending_;  ///< begun: what of it is not yet written
  std::optional<std::string> next_;
  proto::FrameReader reader_;
};

}  // namespace gleaner::sched
