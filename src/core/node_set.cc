// SPDX-License-Identifier: Apache-2.0
/// Reads and writes Slurm's notation for sets of nodes.
#include "core/node_set.hh"

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

namespace gleaner {
namespace {

/// As many as Slurm's own lists have.
constexpr std::size_t nodes_max = 65'536;
constexpr std::size_t name_bytes_max = 255;  ///< as long as a host's name is

Error unreadable(std::string_view item, char const* why) {
  return {Errc::invalid_argument, "cannot read node list item '" +
                                      std::string(item.substr(0, 60)) + "' (" +
                                      why + ")"};
}

bool is_digits(std::string_view s) {
  return std::all_of(s.begin(), s.end(),
                     [](unsigned char c) { return std::isdigit(c); });
}

/// Nine digits fit a long everywhere.
bool is_index(std::string_view s) {
  return !s.empty() && s.size() <= 9 && is_digits(s);
}

bool is_name(std::string_view s) {
  return !s.empty() && s.size() <= name_bytes_max &&
         std::all_of(s.begin(), s.end(), [](unsigned char c) {
           return std::isalnum(c) || c == '-' || c == '_' || c == '.' ||
                  c == '+';  // of a part: "n3+1"
         });
}

/// Cut off and return the text up to the next comma outside brackets.
std::string_view next_item(std::string_view* rest) {
  int depth = 0;
  std::size_t end = 0;
  for (; end < rest->size(); ++end) {
    char const c = (*rest)[end];
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (c == ',' && depth == 0) break;
  }
  auto const item = rest->substr(0, end);
  rest->remove_prefix(std::min(end + 1, rest->size()));
  return item;
}

std::string padded(long index, std::size_t width) {
  auto digits = std::to_string(index);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return digits;
}

/// Add "PREFIX[RANGES]"; `ranges` is what stands between the brackets.
Result<void> insert_ranges(std::string_view item, std::string const& prefix,
                           std::string_view ranges, NodeSet* nodes) {
  do {
    auto const range = next_item(&ranges);
    auto const dash = range.find('-');
    auto const first = range.substr(0, dash);
    auto const last =
        dash == std::string_view::npos ? first : range.substr(dash + 1);
    if (!is_index(first) || !is_index(last))
      return unreadable(item, "not an index range");
    if (prefix.size() + std::max(first.size(), last.size()) > name_bytes_max)
      return unreadable(item, "not a node name");
    long const begin = std::stol(std::string(first));
    long const end = std::stol(std::string(last));
    if (end < begin) return unreadable(item, "the range runs backwards");
    if (nodes->size() + static_cast<std::size_t>(end - begin) >= nodes_max)
      return unreadable(item, "more than 65536 nodes");
    for (long i = begin; i <= end; ++i)
      nodes->insert(prefix + padded(i, first.size()));
  } while (!ranges.empty());
  return {};
}

/// A name cut before its trailing digits: "n08" is {"n", width 2, index 8}.
struct Indexed {
  std::string prefix;
  std::size_t width;  ///< number of digits; 0 when the name has no index
  long index;
};

Indexed split(std::string const& name) {
  auto const cut = name.find_last_not_of("0123456789");
  // "[1-2]" is no node list: a name of digits only stands by itself.
  if (cut == std::string::npos) return {name, 0, 0};
  auto const digits = name.substr(cut + 1);
  if (!is_index(digits)) return {name, 0, 0};
  return {name.substr(0, cut + 1), digits.size(), std::stol(digits)};
}

std::string bracket(std::vector<long> const& indices, std::size_t width) {
  std::string text;
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t end = i;
    while (end + 1 < indices.size() && indices[end + 1] == indices[end] + 1)
      ++end;
    if (!text.empty()) text += ',';
    text += padded(indices[i], width);
    if (end > i) text += '-' + padded(indices[end], width);
    i = end + 1;
  }
  return indices.size() == 1 ? text : '[' + text + ']';
}

}  // namespace

Result<NodeSet> NodeSet::parse(std::string_view text) {
  NodeSet nodes;
  while (!text.empty()) {
    auto const item = next_item(&text);
    auto const open = item.find('[');
    if (open == std::string_view::npos) {
      if (item.empty()) return unreadable(item, "empty name");
      if (!is_name(item)) return unreadable(item, "not a node name");
      nodes.insert(std::string(item));
      continue;
    }
    if (item.back() != ']') return unreadable(item, "no closing ']'");
    std::string const prefix(item.substr(0, open));
    if (!is_name(prefix)) return unreadable(item, "not a node name");
    auto const ranges = item.substr(open + 1, item.size() - open - 2);
    if (auto done = insert_ranges(item, prefix, ranges, &nodes); !done)
      return done.error();
  }
  return nodes;
}

std::string NodeSet::to_string() const {
  // Names that differ in their trailing index only share one bracket.
  std::map<std::pair<std::string, std::size_t>, std::vector<long>> groups;
  for (auto const& name : *this) {
    auto const part = split(name);
    groups[{part.prefix, part.width}].push_back(part.index);
  }
  std::string text;
  for (auto& [group, indices] : groups) {
    if (!text.empty()) text += ',';
    text += group.first;
    if (group.second == 0) continue;
    std::sort(indices.begin(), indices.end());
    text += bracket(indices, group.second);
  }
  return text;
}

}  // namespace gleaner
