// SPDX-License-Identifier: Apache-2.0
/// `gleaner status`: asks gleanerd and shows the answer.
#pragma once

#include "cli/commands.hh"

namespace gleaner::cli {

/// AddOptions of the command.
void status_command(CLI::App& command, Run& run);

}  // namespace gleaner::cli
