// SPDX-License-Identifier: Apache-2.0
/// `gleaner solve`: solves a problem that was written down, again.
#pragma once

#include <string>

namespace gleaner::cli {

struct SolveOptions {
  std::string path;    ///< a problem, or a problem_log; "-": standard input
  std::string policy;  ///< "": as recorded, else "gleaner"
  int record = 0;      ///< of a problem_log, from 1; 0: the last
  bool all = false;    ///< every record: do they get the recorded plans?
  enum class Form { table, json } form = Form::table;
  int limit_ms = 10000;
};

/// Returns the exit status: 0; 1 where a plan is not the one recorded; 2 where
/// there is nothing to solve or no plan was found.
int run_solve(SolveOptions const& options);

}  // namespace gleaner::cli
