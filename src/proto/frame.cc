// SPDX-License-Identifier: Apache-2.0
/// How a message lies on a stream.
#include "proto/frame.hh"

namespace gleaner {
namespace {

constexpr std::size_t header_bytes = 4;
constexpr std::size_t compact_bytes = 1u << 16;

std::uint32_t read_length(std::string_view header) {
  std::uint32_t length = 0;
  for (unsigned char const byte : header.substr(0, header_bytes))
    length = length << 8 | byte;
  return length;
}

}  // namespace

std::string encode_frame(nlohmann::json const& json) {
  // Text from users may not be UTF-8: replace what is not, never throw.
  auto const text =
      json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  auto const length = static_cast<std::uint32_t>(text.size());
  std::string frame;
  frame.reserve(header_bytes + text.size());
  for (int shift = 24; shift >= 0; shift -= 8)
    frame += static_cast<char>(length >> shift & 0xff);
  return frame + text;
}

Result<std::optional<nlohmann::json>> FrameReader::next() {
  auto const rest = std::string_view(buffer_).substr(read_);
  if (rest.size() < header_bytes) return std::optional<nlohmann::json>();
  auto const length = read_length(rest);
  if (length > frame_bytes_max)
    return Error{Errc::invalid_argument,
                 "frame of " + std::to_string(length) + " bytes (at most " +
                     std::to_string(frame_bytes_max) +
                     " are accepted) [the peer does not speak this protocol]"};
  if (rest.size() < header_bytes + length)
    return std::optional<nlohmann::json>();
  auto json =
      nlohmann::json::parse(rest.substr(header_bytes, length), nullptr, false);
  read_ += header_bytes + length;
  if (read_ > compact_bytes || read_ == buffer_.size()) {
    buffer_.erase(0, read_);
    read_ = 0;
  }
  if (!json.is_object())
    return Error{Errc::invalid_argument, "frame of " + std::to_string(length) +
                                             " bytes is no JSON object"};
  return std::optional(std::move(json));
}

}  // namespace gleaner
