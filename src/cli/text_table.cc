// SPDX-License-Identifier: Apache-2.0
#include "cli/text_table.hh"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/node_set.hh"

namespace gleaner::cli {

std::string text_table(std::vector<Row> const& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (auto const& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (auto const& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      line.append(widths[i] + 2 - row[i].size(), ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string fixed(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string node_list(std::vector<std::string> const& names) {
  NodeSet nodes;
  for (auto const& name : names) nodes.insert(name);
  return nodes.empty() ? "-" : nodes.to_string();
}

}  // namespace gleaner::cli
