// SPDX-License-Identifier: Apache-2.0
/// `gleaner sim`: its options, and where its results go.
#pragma once

#include "cli/commands.hh"

namespace gleaner::cli {

/// AddOptions of the command.
void sim_command(CLI::App& command, Run& run);

}  // namespace gleaner::cli
