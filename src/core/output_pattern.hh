// SPDX-License-Identifier: Apache-2.0
/// Into which file does a member print?
///
/// A pattern as srun's --output takes it: "out-%t.txt".  %t is the member's
/// number, %N its node, %j the base job, %% a percent sign.
#pragma once

#include <map>
#include <string>

#include "core/result.hh"

namespace gleaner {

/// Fails with invalid_argument, quoting what it does not know.
Result<void> check_output_pattern(std::string const& pattern);

/// The pattern with each letter of `known` replaced ('t' for "%t"); what is not
/// known stays, "%%" too.
std::string fill_in_pattern(std::string const& pattern,
                            std::map<char, std::string> const& known);

}  // namespace gleaner
