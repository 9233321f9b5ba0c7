// SPDX-License-Identifier: Apache-2.0
/// `gleaner admin`: tells gleanerd what it may lend, and waits for the nodes.
#pragma once

#include <string>

namespace gleaner::cli {

struct AdminOptions {
  std::string config;  ///< path of gleaner.yaml; "": where it is by default
  std::string action;  ///< "drain", "resume", "observe", "on"
  std::string nodes;   ///< "n[1-4]"; "": all
  double wait_s = 30;  ///< for nodes to come back; 0: do not wait
};

/// Returns the exit status: 0 when the order is in force and no lease is left
/// on what it is about, 1 when nodes were not back in time, 2 when gleanerd
/// refused it or cannot be asked.
int run_admin(AdminOptions const& options);

}  // namespace gleaner::cli
