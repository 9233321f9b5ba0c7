// SPDX-License-Identifier: Apache-2.0
/// Could a daemon of Slurm load this plugin?
///
/// A plugin that needs a function its daemon does not have keeps slurmctld from
/// starting.  The answer comes from the dynamic linker itself, which lists what
/// it cannot resolve (as `ldd -r` does) and runs nothing of the daemon.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hh"

namespace gleaner::slurm {

/// What `plugin_path` needs and neither `daemon_path` (slurmctld, slurmd, srun,
/// slurmstepd), nor the libraries of the two, have: functions and variables by
/// name, and libraries as "libfoo.so.1 (library)"; empty when it can be loaded.
///
/// Fails with not_found or invalid_argument when one of the two is no file the
/// linker can load, and with timed_out when it does not answer in ten seconds.
/// Starts a process and waits for it.
Result<std::vector<std::string>> missing_symbols(
    std::string const& plugin_path, std::string const& daemon_path);

/// Reading what glibc's linker has printed.  Fails with invalid_argument when
/// it says that it could load `plugin_path`, or the daemon, not at all.
Result<std::vector<std::string>> parse_linker_trace(
    std::string_view text, std::string_view plugin_path);

}  // namespace gleaner::slurm
