// SPDX-License-Identifier: Apache-2.0
/// What is the name of what one lease takes: a node "n3", or a part of it
/// "n3+1"?
///
/// Parts of a node are numbered from 0; a part keeps its number while a lease
/// is on it.  No name of a node has a '+', so a place says what it is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.hh"

namespace gleaner {

struct PlaceName {
  std::string node;
  std::optional<int> part;  ///< none: the whole node
  bool operator==(PlaceName const&) const = default;
};

/// Read a place.  Fails with invalid_argument, quoting it.
Result<PlaceName> parse_place(std::string_view text);

/// "n3", "n3+1"
std::string to_string(PlaceName const& place);

/// The node of a place, as Slurm knows it: "n3" of "n3+1".
std::string node_of(std::string_view place);

/// Is it a part of a node?
inline bool is_part(std::string_view place) {
  return place.find('+') != std::string_view::npos;
}

}  // namespace gleaner
