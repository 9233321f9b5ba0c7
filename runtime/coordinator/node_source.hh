// SPDX-License-Identifier: Apache-2.0
/// Where a trainer's nodes come from: gleanerd, or a person at a pipe.
#pragma once

#include <functional>

#include "proto/daemon_messages.hh"

namespace gleaner::coordinator {

class NodeSource {
 public:
  /// Registered, Grant, GiveBack or RegisterRefused; never inside start().
  using OnMessage = std::function<void(msg::ToCoordinator const&)>;

  virtual ~NodeSource() = default;
  virtual void start() = 0;
  virtual void send(msg::FromCoordinator const& message) = 0;
  /// Send what is queued, within a second; no callback follows.
  virtual void close() = 0;
};

}  // namespace gleaner::coordinator
