// SPDX-License-Identifier: Apache-2.0
/// The file to which every solved problem is appended: `problem_log`.
///
/// One JSON object a line, {"t_s", "policy", "problem", "plan"}, the last two
/// as in alloc/problem_json.hh: `gleaner solve` decides each again.
#pragma once

#include <cstdint>
#include <string>

#include "core/result.hh"

namespace gleaner::daemon {

class ProblemLog {
 public:
  /// Nothing is opened yet.  A file of more than `bytes_max` is renamed to
  /// PATH.1, in place of what had that name, before the next line.
  ProblemLog(std::string path, std::uint64_t bytes_max)
      : path_(std::move(path)), bytes_max_(bytes_max) {}

  /// Append a line, making the file (mode 0600) where there is none.  Fails
  /// with io, naming the path; later calls may succeed.
  Result<void> add(std::string line) const;

 private:
  Error error(char const* doing) const;

  std::string path_;
  std::uint64_t bytes_max_;
};

}  // namespace gleaner::daemon
