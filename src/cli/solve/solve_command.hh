// SPDX-License-Identifier: Apache-2.0
/// `gleaner solve`: solves a problem that was written down, again.
#pragma once

#include "cli/commands.hh"

namespace gleaner::cli {

/// AddOptions of the command.
void solve_command(CLI::App& command, Run& run);

}  // namespace gleaner::cli
