// SPDX-License-Identifier: Apache-2.0
/// What a user may write after --malleable=.
///
/// Read twice: in sbatch, for an early error, and in slurmctld, because what
/// sbatch sends comes from the user's environment.
#pragma once

#include <string_view>

#include "core/quoted.hh"
#include "core/result.hh"

namespace gleaner::plugins {

/// In which variables of a job's control environment spank_gleaner passes the
/// options' values on to slurmctld.
inline constexpr char malleable_variable[] = "GLEANER_MALLEABLE";
inline constexpr char weight_variable[] = "GLEANER_MALLEABLE_WEIGHT";
inline constexpr char deadline_variable[] = "GLEANER_MALLEABLE_DEADLINE";

struct MalleableRange {
  int nodes_min = 1;
  int nodes_max = 1;
  bool operator==(MalleableRange const&) const = default;
};

/// Most nodes a range may name.  Each is a job record in slurmctld, which holds
/// 10,000 (MaxJobCount) unless the site says otherwise.
inline constexpr int malleable_nodes_max = 10000;

/// Read "MIN-MAX", two whole numbers with 1 <= MIN <= MAX.  Fails with
/// invalid_argument, quoting the value (shortened, unprintable characters
/// replaced) and saying what to write instead.
Result<MalleableRange> parse_malleable_range(std::string_view text);

}  // namespace gleaner::plugins
