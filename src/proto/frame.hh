// SPDX-License-Identifier: Apache-2.0
/// How a message lies on a stream: 4 bytes length (big-endian), then JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hh"

namespace gleaner {

/// Longest message accepted: a snapshot of a 10,000-node machine fits.
inline constexpr std::uint32_t frame_bytes_max = 16u << 20;

/// The bytes that carry `json`.
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
  void append(std::string_view bytes) { buffer_.append(bytes); }

  /// The next whole message, or none yet.  Fails with invalid_argument when
  /// the length is over `frame_bytes_max` or the text is no JSON object; the
  /// stream cannot be used after that.
  Result<std::optional<nlohmann::json>> next();

  /// Nothing was appended that next() has not handed out.
  bool empty() const { return read_ == buffer_.size(); }

 private:
  std::string buffer_;
  std::size_t read_ = 0;  ///< bytes of buffer_ already handed out
};

}  // namespace gleaner
