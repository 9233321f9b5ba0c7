// SPDX-License-Identifier: Apache-2.0
/// Which words do users write for the values of an enumeration?
///
///     enum class Lease { whole, parts };
///     template <>
///     struct Words<Lease> {
///       static constexpr Word<Lease> all[] = {{Lease::whole, "whole"},
///                                             {Lease::parts, "parts"}};
///     };
///     parse_choice<Lease>("parts");  // Lease::parts
///     to_string(Lease::parts);       // "parts"
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gleaner {

/// A value, and its word.
template <class Enum>
struct Word {
  Enum value;
  char const* word;
};

/// The words of an enumeration, in the order in which users are shown them.
/// Specialised beside the enumeration, for every one of its values.
template <class Enum>
struct Words;

/// An enumeration that has words.
template <class Enum>
concept Choice = requires {
  Words<Enum>::all;
};

/// The word of a value.
template <Choice Enum>
char const* to_string(Enum value) {
  for (auto const& [other, word] : Words<Enum>::all)
    if (other == value) return word;
  return "";  // slurmctld loads this, so that a missing word ends nothing
}

/// The value of a word; none for another word.
template <Choice Enum>
std::optional<Enum> parse_choice(std::string_view text) {
  for (auto const& [value, word] : Words<Enum>::all)
    if (text == word) return value;
  return std::nullopt;
}

/// All words: "whole|parts".
template <Choice Enum>
std::string const& choices() {
  static std::string const list = [] {
    std::string text;
    for (auto const& [value, word] : Words<Enum>::all)
      text += (text.empty() ? "" : "|") + std::string(word);
    return text;
  }();
  return list;
}

}  // namespace gleaner
