// SPDX-License-Identifier: Apache-2.0
/// The table of commands.  A new one is a row here.
#include "cli/commands.hh"

#include "cli/sim/sim_command.hh"
#include "cli/solve/solve_command.hh"
#ifdef HAVE_GLEANERD
#include "cli/admin_command.hh"
#include "cli/profile/profile_command.hh"
#include "cli/report/report_command.hh"
#include "cli/status/status_command.hh"
#endif

namespace gleaner::cli {
namespace {

Command const table[] = {
    {"run", "Run a training; to be called in its batch job",
     OwnProgram{"gleaner-coordinator", "runtime/coordinator"}},
    {"campaign",
     "Search for the best parameters: one trial after the other, on idle "
     "nodes",
     OwnProgram{"gleaner-campaign", "runtime/python"}},
    {"doctor",
     "Check whether this Slurm would bear Gleaner, and say what to change",
     OwnProgram{"gleaner-doctor", "src/doctor"}},
#ifdef HAVE_GLEANERD
    {"status", "Show trainers, leases and idle nodes, as gleanerd sees them",
     status_command},
    {"profile", "Show how fast a training job is on a number of nodes",
     profile_command},
    {"report", "Write figures and a timeline of a run, from its logs",
     report_command},
    {"admin", "Tell gleanerd which nodes it may lend (root and SlurmUser)",
     admin_command},
#endif
    {"solve", "Decide again which training gets which idle node",
     solve_command},
    {"sim", "Simulate what a policy achieves on idle nodes", sim_command},
};

}  // namespace

std::span<Command const> commands() { return table; }

}  // namespace gleaner::cli
