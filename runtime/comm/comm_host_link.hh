// SPDX-License-Identifier: Apache-2.0
/// How a member's Open MPI plane talks to the comm host of its node.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "core/result.hh"
#include "proto/comm_messages.hh"
#include "proto/frame.hh"
#include "runtime/os/fd.hh"

namespace gleaner::comm {

/// Can the descriptor be read?  False when the time is over.
bool readable(int fd, std::chrono::milliseconds wait);

/// The connection to the comm host.
class HostLink {
 public:
  static Result<HostLink> open(std::string const& path);
  int socket() const { return socket_.get(); }

  Result<void> give(int descriptor);
  Result<void> send(msg::FromPlane const& message);

  /// The next message, or none when the rest of it has not come yet.
  Result<std::optional<msg::ToPlane>> take();
  /// Wait for it until then.
  Result<msg::ToPlane> wait(std::chrono::steady_clock::time_point end);

 private:
  explicit HostLink(os::Fd socket) : socket_(std::move(socket)) {}
  os::Fd socket_;
  proto::FrameReader reader_;
  bool more_ = false;  ///< of what was read is perhaps left
};

}  // namespace gleaner::comm
