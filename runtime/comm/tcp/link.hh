// SPDX-License-Identifier: Apache-2.0
/// A proven connection between two members, and the frames on it.
///
/// A frame is a header and what it carries.  The header says generation,
/// sender, operation and piece of it, and how many bytes follow: what comes
/// must be what is expected next, or the members do not do the same, and the
/// operation fails. Nothing here blocks; Traffic waits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/result.hh"
#include "runtime/os/fd.hh"

namespace gleaner::comm::tcp {

struct FrameHeader {
  std::uint32_t magic = 0x316d7266;
  std::uint32_t from = 0;  ///< rank
  std::uint64_t generation = 0;
  std::uint64_t operation = 0;  ///< of this plane, from 1
  std::uint32_t piece = 0;      ///< of the operation
  std::uint32_t unused = 0;
  std::uint64_t bytes = 0;

  bool operator==(FrameHeader const&) const = default;
};

class Link {
 public:
  Link() = default;
  /// Of `self` with `peer`, both ranks, in a generation.
  Link(os::Fd socket, int self, int peer, std::uint64_t generation);

  int socket() const { return socket_.get(); }
  int peer() const { return peer_; }

  /// The frame to be sent next; the one before is out.
  void begin_send(std::uint64_t operation, std::uint32_t piece,
                  std::size_t bytes);
  /// Send of what the frame carries as much as the kernel takes now, and how
  /// much that was.  Fails with unavailable when the peer is gone.
  Result<std::size_t> send(void const* data, std::size_t bytes);

  /// The frame to be received next; the one before was received whole.
  void begin_receive(std::uint64_t operation, std::uint32_t piece,
                     std::size_t bytes);
  /// Receive of what the frame carries as much as has come, at most `bytes`,
  /// and how much that was.  Fails with unavailable when the peer is gone, and
  /// with invalid_argument when another frame came.
  Result<std::size_t> receive(void* to, std::size_t bytes);

  /// Lost for both ends, now.  From any thread.
  void shut();

 private:
  Error gone(char const* what) const;

  os::Fd socket_;
  int peer_ = -1;
  FrameHeader out_, expected_, in_;
  std::size_t out_sent_ = 0;  ///< bytes of the header
  std::size_t in_come_ = 0;
};

}  // namespace gleaner::comm::tcp
