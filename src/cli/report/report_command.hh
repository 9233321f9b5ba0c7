// SPDX-License-Identifier: Apache-2.0
/// `gleaner report`: figures and a picture of what happened, from the logs.
#pragma once

#include "cli/commands.hh"

namespace gleaner::cli {

/// AddOptions of the command.
void report_command(CLI::App& command, Run& run);

}  // namespace gleaner::cli
