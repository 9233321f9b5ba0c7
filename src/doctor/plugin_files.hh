// SPDX-License-Identifier: Apache-2.0
/// Can slurmctld load our plugins, as they lie in PluginDir?
#pragma once

#include <string>
#include <vector>

#include "slurm/control.hh"

namespace gleaner::doctor {

/// One finding for each plugin of ours that is there; a warning when none is.
/// `plugin_dirs` as slurm.conf has it, "a:b".  Without slurmctld on this
/// machine nothing is said.  Starts the dynamic linker and waits for it.
std::vector<slurm::Finding> judge_plugin_files(std::string const& plugin_dirs);

/// The same, with slurmctld at this place.
std::vector<slurm::Finding> judge_plugin_files(std::string const& plugin_dirs,
                                               std::string const& slurmctld);

}  // namespace gleaner::doctor
