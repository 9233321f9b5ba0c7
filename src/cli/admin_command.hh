// SPDX-License-Identifier: Apache-2.0
/// `gleaner admin`: tells gleanerd what it may lend, and waits for the nodes.
#pragma once

#include "cli/commands.hh"

namespace gleaner::cli {

/// AddOptions of the command.
void admin_command(CLI::App& command, Run& run);

}  // namespace gleaner::cli
