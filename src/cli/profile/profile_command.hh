// SPDX-License-Identifier: Apache-2.0
/// `gleaner profile`: asks gleanerd how a training scales, and shows it.
#pragma once

#include "cli/commands.hh"

namespace gleaner::cli {

/// AddOptions of the command.
void profile_command(CLI::App& command, Run& run);

}  // namespace gleaner::cli
