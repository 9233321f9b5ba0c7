// SPDX-License-Identifier: Apache-2.0
/// How a message lies on a stream: 4 bytes length (big-endian), then JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hh"

namespace gleaner::proto {

/// Longest message accepted: a snapshot of a 10,000-node machine fits.
inline constexpr std::uint32_t frame_bytes_max = 16u << 20;

/// Longest message accepted from a peer that is not authenticated.
inline constexpr std::uint32_t handshake_bytes_max = 4096;

/// Deepest nesting of lists and objects accepted.  No message has more than
/// seven.  A message nested a million times would exhaust the stack of the
/// function that writes it into an error.
inline constexpr int frame_depth_max = 32;

/// Bytes of the length before a text.
inline constexpr std::size_t frame_header_bytes = 4;

/// JSON as it is sent.  Text from users may not be UTF-8: invalid bytes are
/// replaced, and nothing is thrown.
std::string json_text(nlohmann::json const& json);

/// The bytes that carry this text, or `json`.
std::string frame_of(std::string_view text);
std::string encode_frame(nlohmann::json const& json);

/// Cuts a byte stream into messages.
///
///     reader.append(bytes);
///     while (auto next = reader.next()) {        // Result<optional<json>>
///       if (!*next) break;                       // incomplete: read more
///       handle(**next);
///     }
class FrameReader {
 public:
  /// Whether `seal`, which followed `text`, is right.
  using Check =
      std::function<bool(std::string_view text, std::string_view seal)>;

  void append(std::string_view bytes) { buffer_.append(bytes); }

  /// The next whole message, or none yet.  Fails with invalid_argument when
  /// the length is over the limit, the text is no JSON object or is nested too
  /// deeply, with denied when its seal is wrong; the stream cannot be used
  /// after that.
  Result<std::optional<nlohmann::json>> next();

  /// Bytes of the text that next() handed out last.
  std::size_t message_bytes() const { return message_bytes_; }

  /// Accept texts of up to so many bytes from now on.
  void limit(std::uint32_t bytes_max) { bytes_max_ = bytes_max; }

  /// From the next message on each text is followed by so many bytes, which
  /// must pass the check.
  void expect_seals(std::size_t bytes, Check check) {
    seal_bytes_ = bytes;
    check_ = std::move(check);
  }

  /// Nothing was appended that next() has not handed out.
  bool empty() const { return read_ == buffer_.size(); }

 private:
  void advance(std::size_t bytes);

  std::string buffer_;
  std::size_t read_ = 0;  ///< bytes of buffer_ already handed out
  std::uint32_t bytes_max_ = frame_bytes_max;
  std::size_t message_bytes_ = 0;
  std::size_t seal_bytes_ = 0;
  Check check_;
};

}  // namespace gleaner::proto
