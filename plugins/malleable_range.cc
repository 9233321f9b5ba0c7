// SPDX-License-Identifier: Apache-2.0
/// Reading --malleable's value.
#include "plugins/malleable_range.hh"

#include <charconv>
#include <string>

#include "core/quoted.hh"

namespace gleaner::plugins {
namespace {

Error bad_range(std::string_view text, std::string const& why) {
  return {Errc::invalid_argument, "--malleable=" + in_quotes(text) + ": " +
                                      why +
                                      " [write MIN-MAX, for example "
                                      "--malleable=2-16]"};
}

/// A whole number without sign, or nothing.
bool read(std::string_view text, int* number) {
  if (text.empty() || text.front() == '-') return false;
  auto const end = text.data() + text.size();
  auto const [stop, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && stop == end;
}

}  // namespace

Result<MalleableRange> parse_malleable_range(std::string_view text) {
  MalleableRange range;
  auto const dash = text.find('-');
  if (dash == std::string_view::npos ||
      !read(text.substr(0, dash), &range.nodes_min) ||
      !read(text.substr(dash + 1), &range.nodes_max))
    return bad_range(text, "not a range of node counts");
  if (range.nodes_min < 1)
    return bad_range(text, "the least number of nodes must be at least 1");
  if (range.nodes_max < range.nodes_min)
    return bad_range(text, "the most nodes are fewer than the least");
  if (range.nodes_max > malleable_nodes_max)
    return bad_range(
        text, "more than " + std::to_string(malleable_nodes_max) + " nodes");
  return range;
}

}  // namespace gleaner::plugins
