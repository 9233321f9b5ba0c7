// SPDX-License-Identifier: Apache-2.0
/// Reading and writing the names of places.
#include "core/place.hh"

#include <charconv>

namespace gleaner {
namespace {

constexpr int parts_most = 1000;

std::optional<int> read_index(std::string_view text) {
  int index = 0;
  auto const end = text.data() + text.size();
  auto const [stop, error] = std::from_chars(text.data(), end, index);
  bool const padded = text.size() > 1 && text[0] == '0';
  if (error != std::errc() || stop != end || padded || index < 0 ||
      index >= parts_most)
    return std::nullopt;
  return index;
}

}  // namespace

Result<PlaceName> parse_place(std::string_view text) {
  auto const plus = text.find('+');
  PlaceName place{std::string(text.substr(0, plus)), std::nullopt};
  bool readable = !place.node.empty();
  if (plus != std::string_view::npos) {
    place.part = read_index(text.substr(plus + 1));
    readable = readable && place.part;
  }
  if (readable) return place;
  return Error{Errc::invalid_argument,
               "'" + std::string(text.substr(0, 60)) +
                   "' is no place [write a node, n3, or a part of one, n3+1]"};
}

std::string to_string(PlaceName const& place) {
  return place.part ? place.node + "+" + std::to_string(*place.part)
                    : place.node;
}

std::string node_of(std::string_view place) {
  return std::string(place.substr(0, place.find('+')));
}

}  // namespace gleaner
