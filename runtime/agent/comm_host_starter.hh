// SPDX-License-Identifier: Apache-2.0
/// When is this node's comm host started?  When a member first asks for it.
///
/// The agent listens in its place and hands the socket over: a training that
/// needs no comm host has none, and one that crashed is there again when the
/// next generation is prepared.  It is a process of its own because PMIx may
/// crash, and the loss of an agent is the loss of its node.
#pragma once

#include <asio.hpp>
#include <optional>
#include <string>

#include "runtime/comm_host/comm_directory.hh"
#include "runtime/os/child_processes.hh"

namespace gleaner::agent {

class CommHostStarter {
 public:
  /// The process becomes child `key` of `processes`.
  CommHostStarter(asio::io_context& io, os::ChildProcesses& processes,
                  os::ChildProcesses::Key key);

  /// Where members find it; "" when it is not installed or cannot be had: the
  /// log says why.
  std::string socket_path();

  /// The child has ended.
  void ended();

 private:
  Result<void> open();
  void wait();
  void wait_later();
  void start();
  void turn_away();

  os::ChildProcesses& processes_;
  os::ChildProcesses::Key const key_;
  std::string program_;
  bool tried_ = false;
  std::optional<comm_host::CommDirectory> directory_;
  asio::posix::stream_descriptor asked_;
  asio::steady_timer pause_;
};

}  // namespace gleaner::agent
