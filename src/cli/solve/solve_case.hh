// SPDX-License-Identifier: Apache-2.0
/// What `gleaner solve` reads, computes and prints, without files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "alloc/allocator.hh"

namespace gleaner::cli {

/// A problem to be solved, and what gleanerd decided if it comes from its
/// `problem_log`.
struct SolveCase {
  alloc::Problem problem;
  std::string policy;               ///< that decided; "": not recorded
  std::optional<alloc::Plan> plan;  ///< that was decided
  double t_s = 0;                   ///< when, seconds since 1970
};

/// One problem as JSON (alloc/problem_json.hh), or a problem_log: one record a
/// line.  Fails with invalid_argument; `name` (of the file), the line in a log
/// and the field are in the message.
Result<std::vector<SolveCase>> read_cases(std::string const& name,
                                          std::string const& text);

struct Solved {
  alloc::Plan plan;
  double gap = 0;  ///< to what no plan could exceed, as a part of that
  std::string policy;
  double took_ms = 0;
};

/// The plan, a trainer a line, under a line of totals; then what differs from
/// the recorded plan, if there is one.
std::string solved_table(SolveCase const& question, Solved const& answer);

/// {"policy": …, "took_ms": …, "gain": …, "plan": {…}, "as_recorded": true}.
std::string solved_json(SolveCase const& question, Solved const& answer);

}  // namespace gleaner::cli
