// SPDX-License-Identifier: Apache-2.0
/// What does another program print?
#pragma once

#include <string>
#include <vector>

#include "core/result.hh"

namespace gleaner::cli {

/// Run a program, found in PATH, and return its standard output.  `extra_env`:
/// "KEY=VALUE" each, beside our own environment.  It is ended after `limit_s`
/// seconds; it is always reaped.  Fails with not_found when there is no such
/// program, timed_out, or unavailable with the first line it complained with.
Result<std::string> captured_command(std::vector<std::string> const& command,
                                     std::vector<std::string> const& extra_env,
                                     double limit_s);

}  // namespace gleaner::cli
