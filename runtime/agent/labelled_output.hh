// SPDX-License-Identifier: Apache-2.0
/// Who wrote this line?  What members print, each line after "MEMBER: ".
///
/// As srun --label does.  A member prints into pipes of its own, the agent
/// reads them, and a thread writes whole lines to the agent's standard output
/// and error.  Where these stand still, members go on; lines that are too many
/// to wait are lost, and counted.
#pragma once

#include <array>
#include <asio.hpp>
#include <list>
#include <memory>
#include <string>

#include "core/result.hh"
#include "proto/runtime_messages.hh"
#include "runtime/os/fd.hh"
#include "runtime/os/line_file.hh"

namespace gleaner::agent {

class LabelledOutput {
 public:
  /// Where lines go: copies of these descriptors.
  LabelledOutput(asio::io_context& io, int out_fd, int err_fd);
  /// Waits for a moment for what was read to be written (line_file.hh).
  ~LabelledOutput();

  struct Ends {
    os::Fd out;
    os::Fd err;
  };
  /// For the member's standard output and error.  Fails with io.
  Result<Ends> make(msg::MemberId member);

  /// Read what is left of members that have ended; does not wait.
  void finish();

 private:
  struct Stream;

  Result<os::Fd> make_stream(msg::MemberId member, os::LineFile& to);
  void read(std::shared_ptr<Stream> stream);

  asio::io_context& io_;
  os::LineFile out_;
  os::LineFile err_;
  std::list<std::weak_ptr<Stream>> streams_;
};

}  // namespace gleaner::agent
