// SPDX-License-Identifier: Apache-2.0
/// How a value that somebody else wrote is shown in a message.
#include "core/quoted.hh"

namespace gleaner {
namespace {

constexpr std::size_t quoted_bytes_max = 40;

}  // namespace

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (unsigned char const c : text.substr(0, quoted_bytes_max))
    out += c < 0x20 || c > 0x7e || c == '\'' ? '?' : static_cast<char>(c);
  if (text.size() > quoted_bytes_max) out += "...";
  return out + "'";
}

}  // namespace gleaner
