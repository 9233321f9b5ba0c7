// SPDX-License-Identifier: Apache-2.0
/// Bytes as text, for contact data, which is text.
#pragma once

#include <cstddef>
#include <string>

namespace gleaner::gpu {

inline std::string hex_of(void const* data, std::size_t bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) {
    auto const byte = static_cast<unsigned char const*>(data)[i];
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

/// Empty when it is no such text.
inline std::string bytes_of(std::string const& hex) {
  auto const value = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  if (hex.size() % 2 != 0) return "";
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    if (value(hex[i]) < 0 || value(hex[i + 1]) < 0) return "";
    bytes += char(value(hex[i]) << 4 | value(hex[i + 1]));
  }
  return bytes;
}

}  // namespace gleaner::gpu
