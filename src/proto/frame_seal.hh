// SPDX-License-Identifier: Apache-2.0
/// How does a seal reveal a changed, added, repeated or missing frame?
///
/// The n-th frame of one direction, counted from 0, is followed by
/// H(key, "n:" + text), where H is HMAC-SHA256 in hex and each direction has a
/// key of its own.  Nothing is encrypted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gleaner::proto {

/// Bytes of a seal.
inline constexpr std::size_t seal_bytes = 64;

/// The two keys of a connection, both secret.
struct SealKeys {
  std::string sent;      ///< of what this end sends
  std::string received;  ///< of what the other end sends
};

/// One direction of a connection.
class FrameSeal {
 public:
  explicit FrameSeal(std::string key) : key_(std::move(key)) {}

  /// The seal of the next frame.
  std::string next(std::string_view text);

 private:
  std::string key_;
  std::uint64_t count_ = 0;
};

}  // namespace gleaner::proto
