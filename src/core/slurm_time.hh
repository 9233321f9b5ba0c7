// SPDX-License-Identifier: Apache-2.0
/// Reading a point in time the way sbatch's --begin and --deadline do.
#pragma once

#include <string_view>

#include "core/cluster.hh"
#include "core/result.hh"

namespace gleaner {

/// Notations, in local time (sbatch(1), --begin):
///     HH:MM[:SS] [AM|PM]           the next time that the clock shows this
///     midnight noon fika teatime   00:00, 12:00, 15:00 and 16:00 likewise
///     today tomorrow               this time of day
///     MMDD[YY] MM/DD[/YY] YYYY-MM-DD[THH:MM[:SS]]
///                                  a date; without a time of day its begin;
///                                  without a year the next such date
///     now[+COUNT[seconds|minutes|hours|days|weeks]]   seconds by default
/// Capitals do not matter.  Returns seconds since 1970, which may be past.
/// Fails with invalid_argument, quoting the text.
Result<TimeS> parse_slurm_time(std::string_view text, TimeS now_s);

}  // namespace gleaner
