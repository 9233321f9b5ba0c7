// SPDX-License-Identifier: Apache-2.0
/// How a message lies on a stream.
#include "proto/frame.hh"

namespace gleaner::proto {
namespace {

constexpr std::size_t header_bytes = frame_header_bytes;
constexpr std::size_t compact_bytes = 1u << 16;

std::uint32_t read_length(std::string_view header) {
  std::uint32_t length = 0;
  for (unsigned char const byte : header.substr(0, header_bytes))
    length = length << 8 | byte;
  return length;
}

Error too_long(std::uint32_t length, std::uint32_t bytes_max) {
  return {Errc::invalid_argument,
          "frame of " + std::to_string(length) + " bytes (at most " +
              std::to_string(bytes_max) +
              " are accepted) [the peer does not speak this protocol]"};
}

/// Brackets that are open at once, more than `depth_max` anywhere?  Those in
/// texts do not count.
bool is_deeper_than(std::string_view json, int depth_max) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    char const c = json[i];
    if (quoted && c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{') && ++depth > depth_max)
      return true;
    else if (!quoted && (c == ']' || c == '}'))
      --depth;
  }
  return false;
}

}  // namespace

std::string json_text(nlohmann::json const& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string frame_of(std::string_view text) {
  auto const length = static_cast<std::uint32_t>(text.size());
  std::string frame;
  frame.reserve(header_bytes + text.size());
  for (int shift = 24; shift >= 0; shift -= 8)
    frame += static_cast<char>(length >> shift & 0xff);
  return frame.append(text);
}

std::string encode_frame(nlohmann::json const& json) {
  return frame_of(json_text(json));
}

void FrameReader::advance(std::size_t bytes) {
  read_ += bytes;
  if (read_ <= compact_bytes && read_ != buffer_.size()) return;
  buffer_.erase(0, read_);
  read_ = 0;
}

Result<std::optional<nlohmann::json>> FrameReader::next() {
  auto const rest = std::string_view(buffer_).substr(read_);
  if (rest.size() < header_bytes) return std::optional<nlohmann::json>();
  auto const length = read_length(rest);
  if (length > bytes_max_) return too_long(length, bytes_max_);
  auto const whole = header_bytes + length + seal_bytes_;
  if (rest.size() < whole) return std::optional<nlohmann::json>();
  auto const text = rest.substr(header_bytes, length);
  if (check_ && !check_(text, rest.substr(header_bytes + length, seal_bytes_)))
    return Error{Errc::denied,
                 "frame of " + std::to_string(length) +
                     " bytes is not what the peer sent (its seal is wrong)"};
  if (is_deeper_than(text, frame_depth_max))
    return Error{Errc::invalid_argument, "frame of " + std::to_string(length) +
                                             " bytes is nested more than " +
                                             std::to_string(frame_depth_max) +
                                             " deep"};
  auto json = nlohmann::json::parse(text, nullptr, false);
  message_bytes_ = length;
  advance(whole);
  if (!json.is_object())
    return Error{Errc::invalid_argument, "frame of " + std::to_string(length) +
                                             " bytes is no JSON object"};
  return std::optional(std::move(json));
}

}  // namespace gleaner::proto
