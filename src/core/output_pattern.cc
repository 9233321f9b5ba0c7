// SPDX-License-Identifier: Apache-2.0
#include "core/output_pattern.hh"

#include <string_view>

namespace gleaner {

Result<void> check_output_pattern(std::string const& pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') continue;
    auto const letter = ++i < pattern.size() ? pattern.substr(i, 1) : "";
    if (letter.empty() ||
        std::string_view("tNj%").find(letter[0]) == std::string_view::npos)
      return Error{Errc::invalid_argument,
                   "'" + pattern + "': '%" + letter +
                       "' is not known [%t member, %N node, %j job, %%]"};
  }
  return {};
}

std::string fill_in_pattern(std::string const& pattern,
                            std::map<char, std::string> const& known) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      text += pattern[i];
      continue;
    }
    auto const found = known.find(pattern[++i]);
    text += found == known.end() ? pattern.substr(i - 1, 2) : found->second;
  }
  return text;
}

}  // namespace gleaner
