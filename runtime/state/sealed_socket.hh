// SPDX-License-Identifier: Apache-2.0
/// How do tags reveal changed, added, repeated or missing bulk data?
///
/// Bytes go in records: 4 bytes of length (big-endian), that much data, a tag
/// of 16 bytes.  The tag of the n-th record of one direction, counted from 0,
/// is GMAC (AES-128-GCM that encrypts nothing) over length and data, with n as
/// the nonce; each direction has a key of its own.  Of what libcrypto has, this
/// costs least (doc/results-runtime.md).  A record's bytes are handed out only
/// after its tag was verified.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "proto/frame_seal.hh"

namespace gleaner::state {

/// A connected socket, not owned, whose bytes are sealed.  No call waits.
class SealedSocket {
 public:
  /// The keys follow from those of the connection's frames (Channel::release).
  SealedSocket(int fd, proto::SealKeys const& keys);
  /// Without seals: for what is sealed already, and to measure their cost.
  static SealedSocket plain(int fd);
  ~SealedSocket();
  SealedSocket(SealedSocket&&) noexcept;

  /// As send() and recv(): how many bytes were taken, 0 at the end, -1 with
  /// errno.  EBADMSG: what came is not what the peer sent.  Taken bytes may
  /// wait here until flush().
  ssize_t send(void const* data, std::size_t bytes);
  ssize_t receive(void* data, std::size_t bytes);

  /// End the record and send what waits.  0: all is sent; else -1 with errno.
  int flush();
  bool has_unsent() const { return filled_ > 0; }

  int fd() const { return fd_; }

  static constexpr std::size_t record_bytes_max = 64 << 10;
  static constexpr std::size_t tag_bytes = 16;
  static constexpr std::size_t length_bytes = 4;

 private:
  class Tagger;
  explicit SealedSocket(int fd);
  int push();
  bool take_length();
  bool verify();

  int fd_;
  std::unique_ptr<Tagger> sent_, received_;  ///< none: without seals
  // What is sent: length, data, tag; `filled_` bytes of data.
  std::vector<unsigned char> out_;
  std::size_t filled_ = 0;
  std::size_t out_end_ = 0;  ///< bytes of the record, 0 while it is open
  std::size_t out_done_ = 0;
  // What is received: the same.
  std::vector<unsigned char> in_;
  std::size_t in_got_ = 0;
  std::size_t in_data_ = 0;   ///< the record's length, once it is known
  std::size_t in_ready_ = 0;  ///< of its data, verified
  std::size_t in_taken_ = 0;
};

}  // namespace gleaner::state
