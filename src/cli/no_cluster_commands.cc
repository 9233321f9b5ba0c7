// SPDX-License-Identifier: Apache-2.0
/// A build without gleanerd has nobody to ask and no journal to read.
#include "cli/commands.hh"

namespace gleaner::cli {

void add_cluster_commands(CLI::App&, Run&) {}

}  // namespace gleaner::cli
