// SPDX-License-Identifier: Apache-2.0
/// Becoming one of Gleaner's other programs: where it is, and exec.
#pragma once

#include <string>
#include <vector>

namespace gleaner::cli {

/// One of the programs in PREFIX/libexec/gleaner.
struct OwnProgram {
  char const* name;    ///< "gleaner-coordinator"
  char const* folder;  ///< in the build tree: "runtime/coordinator"
};

/// Where it may be, best first: in `override_dir` alone when that is set, else
/// beside this program (which is in `own_dir`), in the build tree, and where it
/// was installed.
std::vector<std::string> paths_of(OwnProgram const& program,
                                  std::string const& override_dir,
                                  std::string const& own_dir,
                                  std::string const& installed_dir);

/// Run it with these arguments in place of this process.  Returns, with the
/// exit status 127 and after saying why, only when it cannot.
int become(OwnProgram const& program,
           std::vector<std::string> const& arguments);

}  // namespace gleaner::cli
