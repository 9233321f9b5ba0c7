// SPDX-License-Identifier: Apache-2.0
/// prep plugin: a job has ended and nodes are free, so wake the scavenger.
///
/// Only the controller's epilog is asked for.  Asking for its prolog would put
/// every job of the machine into CONFIGURING.
#include <slurm/slurm_errno.h>
#include <slurm/slurm_version.h>

#include <cstdint>
#include <memory>

#include "plugins/c_guard.hh"
#include "plugins/hint.hh"
#include "plugins/settings.hh"
#include "plugins/slurm_log.hh"
#include "plugins/slurm_symbols.hh"

extern "C" {
// A const at file scope is private to the file in C++, unless declared first.
extern char const plugin_name[];
extern char const plugin_type[];
extern std::uint32_t const plugin_version;
char const plugin_name[] = "Gleaner end-of-job hint";
char const plugin_type[] = "prep/gleaner";
std::uint32_t const plugin_version = SLURM_VERSION_NUMBER;
}

namespace gleaner::prep {
namespace {

/// slurm's prep_call_type_t, the same from 22.05 to 26.05.
enum class PrepCall {
  register_callbacks = 0,
  prolog = 1,
  epilog = 2,
  prolog_slurmctld = 3,
  epilog_slurmctld = 4,
};

struct Plugin {
  plugins::Settings settings;
  plugins::HintSender hints;
};
std::unique_ptr<Plugin> plugin;

int on_job_ended() {
  if (!plugin) return SLURM_SUCCESS;
  plugin->hints.send(plugins::HintSender::Kind::ended,
                     plugin->settings.now()->config.run_dir);
  return SLURM_SUCCESS;
}

}  // namespace
}  // namespace gleaner::prep

extern "C" {

/// slurmd loads the plugin too; there is nothing for it to do there.
int init(void) {
  return gleaner::plugins::guard(
      SLURM_SUCCESS, gleaner::plugins::log_exception, [] {
        if (gleaner::plugins::in_slurmctld())
          gleaner::prep::plugin = std::make_unique<gleaner::prep::Plugin>();
        return SLURM_SUCCESS;
      });
}

void fini(void) { gleaner::prep::plugin.reset(); }

void prep_p_register_callbacks(void*) {}
int prep_p_prolog(void*, void*) { return SLURM_SUCCESS; }
int prep_p_epilog(void*, void*) { return SLURM_SUCCESS; }

int prep_p_prolog_slurmctld(void*, bool* async) {
  *async = false;
  return SLURM_SUCCESS;
}

/// Called under the job write lock.
int prep_p_epilog_slurmctld(void*, bool* async) {
  *async = false;
  return gleaner::plugins::guard(SLURM_SUCCESS, gleaner::plugins::log_exception,
                                 gleaner::prep::on_job_ended);
}

void prep_p_required(int call, bool* required) {
  *required = static_cast<gleaner::prep::PrepCall>(call) ==
                  gleaner::prep::PrepCall::epilog_slurmctld &&
              gleaner::plugins::in_slurmctld();
}

}  // extern "C"
