// SPDX-License-Identifier: Apache-2.0
/// How the commands write tables and figures on a terminal.
#pragma once

#include <string>
#include <vector>

namespace gleaner::cli {

using Row = std::vector<std::string>;

/// Columns as wide as their widest cell, two spaces apart; all rows have as
/// many cells as the first.
std::string text_table(std::vector<Row> const& rows);

/// "3.14" for 2 digits; "-" for what is not finite.
std::string fixed(double value, int digits);

/// "n[1-3]"; "-" for none.
std::string node_list(std::vector<std::string> const& names);

}  // namespace gleaner::cli
