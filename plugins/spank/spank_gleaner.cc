// SPDX-License-Identifier: Apache-2.0
/// SPANK plugin: the option --malleable of sbatch.
///
/// Checks the value early, for a clear error, and sends it along; slurmctld
/// decides.  In slurmd and slurmstepd it does nothing at all.
#include "plugins/c_guard.hh"
#include "plugins/malleable_range.hh"

extern "C" {
#include <slurm/spank.h>

// In C++ a const at file scope is private to the file.  Declaring the symbols
// first makes SPANK_PLUGIN define ones that Slurm can find.
extern const char plugin_name[];
extern const char plugin_type[];
extern const unsigned int plugin_version;
extern const unsigned int spank_plugin_version;
SPANK_PLUGIN(gleaner, 1)
}

#include <cstdlib>
#include <cstring>
#include <string>

namespace gleaner {
namespace {

/// The value of --malleable; "" when it was not given.
std::string& given() {
  static std::string value;
  return value;
}

void log_error(char const* why) { slurm_error("gleaner: %s", why); }

/// sbatch is the allocator context without a command to run at once; salloc
/// is an allocator too.
bool in_sbatch() {
  return spank_context() == S_CTX_ALLOCATOR &&
         std::strcmp(program_invocation_short_name, "salloc") != 0;
}

int on_option(char const* value) {
  if (!in_sbatch()) {
    log_error(
        "--malleable is an option of sbatch (a training outlives any one set "
        "of nodes, so srun and salloc cannot hold it) [put the command into a "
        "script and submit it with sbatch]");
    return -1;
  }
  auto const range = parse_malleable_range(value ? value : "");
  if (!range) {
    log_error(range.error().message.c_str());
    return -1;
  }
  given() = value;
  return 0;
}

/// Slurm hands options down to every job a job submits, through these
/// variables.  Only what stands on the command line is meant.
void forget_inherited_option() {
  unsetenv("SLURM_SPANK__SLURM_SPANK_OPTION_gleaner_malleable");
  unsetenv("SLURM_SPANK_GLEANER_MALLEABLE");
}

}  // namespace
}  // namespace gleaner

extern "C" {

static int gleaner_malleable_option(int, char const* value, int remote) {
  if (remote) return 0;
  return gleaner::guard(-1, gleaner::log_error,
                        [&] { return gleaner::on_option(value); });
}

int slurm_spank_init(spank_t spank, int, char**) {
  static char name[] = "malleable";
  static char argument[] = "MIN-MAX";
  static char usage[] =
      "training that runs on MIN to MAX nodes, as they are idle (Gleaner)";
  static spank_option option = {name, argument, usage,
                                1,    0,        gleaner_malleable_option};
  auto const context = spank_context();
  if (context == S_CTX_LOCAL || context == S_CTX_ALLOCATOR) {
    gleaner::forget_inherited_option();
    if (spank_option_register(spank, &option) != ESPANK_SUCCESS)
      gleaner::log_error("cannot register --malleable");
  }
  return 0;
}

int slurm_spank_init_post_opt(spank_t spank, int, char**) {
  return gleaner::guard(-1, gleaner::log_error, [&] {
    if (gleaner::given().empty()) return 0;
    auto const error = spank_job_control_setenv(spank, "GLEANER_MALLEABLE",
                                                gleaner::given().c_str(), 1);
    if (error == ESPANK_SUCCESS) return 0;
    gleaner::log_error(
        (std::string("cannot pass --malleable on: ") + spank_strerror(error))
            .c_str());
    return -1;
  });
}

}  // extern "C"
