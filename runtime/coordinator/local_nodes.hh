// SPDX-License-Identifier: Apache-2.0
/// Nodes without Slurm: processes on this machine, added and taken by hand.
///
/// For `gleaner run --local N`: tests, and trying a program on one machine.
/// Grants N nodes l1…lN, then obeys the lines written to the pipe DIR/control:
///     add            one more node
///     remove l2 5    leave node l2 within 5 seconds
/// A line it cannot read is reported on standard error and does nothing.
#pragma once

#include <array>
#include <asio.hpp>
#include <string>

#include "core/result.hh"
#include "runtime/coordinator/node_source.hh"

namespace gleaner::coordinator {

class LocalNodes final : public NodeSource {
 public:
  /// Fails with io when the pipe cannot be made in `dir`.
  static Result<std::unique_ptr<LocalNodes>> make(asio::io_context& io,
                                                  std::string const& dir,
                                                  int nodes, int nodes_min,
                                                  OnMessage on_message);
  ~LocalNodes() override;

  void start() override;
  void send(msg::FromCoordinator const& message) override;
  void close() override;

 private:
  LocalNodes(asio::io_context& io, int fd, std::string path, int nodes,
             int nodes_min, OnMessage on_message);
  void read_lines();
  void obey(std::string const& line);
  void grant();

  asio::posix::stream_descriptor control_;
  std::string path_;
  int nodes_;
  int nodes_min_;
  OnMessage on_message_;
  std::array<char, 1024> input_{};
  std::string line_;
  int last_ = 0;  ///< number of the newest node
};

}  // namespace gleaner::coordinator
