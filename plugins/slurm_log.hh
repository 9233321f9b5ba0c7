// SPDX-License-Identifier: Apache-2.0
/// How a plugin inside slurmctld writes to slurmctld's log.
#pragma once

#include "core/log.hh"
#include "plugins/slurm_symbols.hh"

namespace gleaner::plugins {

/// One line, beginning "gleaner: ".  Nothing below info is written.
inline void log_to_slurm(LogLevel level, LogLine const& line) {
  if (level == LogLevel::error || level == LogLevel::warn)
    slurm_error("gleaner: %s", line.text().c_str());
  else if (level == LogLevel::info)
    slurm_info("gleaner: %s", line.text().c_str());
}

/// For guard(): an exception that reached the edge of a plugin.
inline void log_exception(char const* what) {
  slurm_error("gleaner: internal error: %s", what);
}

}  // namespace gleaner::plugins
