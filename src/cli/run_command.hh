// SPDX-License-Identifier: Apache-2.0
/// `gleaner run`: becomes the coordinator of a training.
#pragma once

#include <string>
#include <vector>

namespace gleaner::cli {

/// Where gleaner-coordinator may be, best first: in `override_dir` alone when
/// that is set, else beside this program (which is in `own_dir`), in the build
/// tree, and where it was installed.
std::vector<std::string> coordinator_paths(std::string const& override_dir,
                                           std::string const& own_dir,
                                           std::string const& installed_dir);

/// Run gleaner-coordinator with these arguments in place of this process.
/// Returns, with the exit status, only when it cannot.
int run_training(std::vector<std::string> const& arguments);

}  // namespace gleaner::cli
