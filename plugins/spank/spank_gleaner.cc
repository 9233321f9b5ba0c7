// SPDX-License-Identifier: Apache-2.0
/// SPANK plugin: the options --malleable, --malleable-weight and
/// --malleable-deadline of sbatch.
///
/// Checks the values early, for a clear error, and sends them along; slurmctld
/// decides.  In slurmd and slurmstepd it does nothing at all.
#include "core/clock.hh"
#include "core/importance.hh"
#include "core/slurm_time.hh"
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

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

namespace gleaner::spank {
namespace {

void log_error(char const* why) { slurm_error("gleaner: %s", why); }

/// The text to send along for what a user wrote, or what is wrong with it.
using Check = Result<std::string> (*)(std::string const& value);

Result<std::string> check_range(std::string const& value) {
  auto const range = plugins::parse_malleable_range(value);
  if (!range) return range.error();
  return value;
}

Result<std::string> check_weight(std::string const& value) {
  auto const weight = parse_weight("--malleable-weight", value);
  if (!weight) return weight.error();
  return weight_text(*weight);
}

/// "now+2hours" is of now, and the local time of here: so it is sent as a
/// point in time.
Result<std::string> check_deadline(std::string const& value) {
  auto const now_s = SystemClock().wall_s();
  auto const deadline_s = parse_slurm_time(value, now_s);
  if (!deadline_s)
    return Error{deadline_s.error().code,
                 "--malleable-deadline: " + deadline_s.error().message};
  if (*deadline_s <= now_s)
    return Error{Errc::invalid_argument,
                 "--malleable-deadline=" + in_quotes(value) +
                     " is past [write a time to come]"};
  return std::to_string(std::llround(*deadline_s));
}

struct Option {
  char name[24];
  char argument[8];
  char usage[80];
  char const* variable;
  Check check;
  std::string given;  ///< as it is to be sent; "": it was not given
};

/// In the order of the values that Slurm calls on_option() with.
Option (&options())[3] {
  static Option all[] = {
      {"malleable", "MIN-MAX",
       "training that runs on MIN to MAX nodes, as they are idle (Gleaner)",
       plugins::malleable_variable, check_range, ""},
      {"malleable-weight", "W",
       "how much it matters among your trainings, 0.1 to 10 (Gleaner)",
       plugins::weight_variable, check_weight, ""},
      {"malleable-deadline", "TIME",
       "when it should be finished, as for --begin (Gleaner)",
       plugins::deadline_variable, check_deadline, ""}};
  return all;
}

/// sbatch is the allocator context without a command to run at once; salloc
/// is an allocator too.
bool in_sbatch() {
  return spank_context() == S_CTX_ALLOCATOR &&
         std::strcmp(program_invocation_short_name, "salloc") != 0;
}

int on_option(Option* option, char const* value) {
  if (!in_sbatch()) {
    log_error(
        (std::string("--") + option->name +
         " is an option of sbatch (a training outlives any one set of nodes, "
         "so srun and salloc cannot hold it) [put the command into a script "
         "and submit it with sbatch]")
            .c_str());
    return -1;
  }
  auto checked = option->check(value ? value : "");
  if (!checked) {
    log_error(checked.error().message.c_str());
    return -1;
  }
  option->given = std::move(*checked);
  return 0;
}

/// Slurm hands options down to every job a job submits, through these
/// variables.  Only what stands on the command line is meant.
void forget_inherited(Option const& option) {
  std::string name = option.name;
  std::replace(name.begin(), name.end(), '-', '_');
  unsetenv(("SLURM_SPANK__SLURM_SPANK_OPTION_gleaner_" + name).c_str());
  unsetenv((std::string("SLURM_SPANK_") + option.variable).c_str());
}

int send_along(spank_t spank) {
  for (auto const& option : options()) {
    if (option.given.empty()) continue;
    auto const error = spank_job_control_setenv(spank, option.variable,
                                                option.given.c_str(), 1);
    if (error == ESPANK_SUCCESS) continue;
    log_error((std::string("cannot pass --") + option.name +
               " on: " + spank_strerror(error))
                  .c_str());
    return -1;
  }
  return 0;
}

}  // namespace
}  // namespace gleaner::spank

extern "C" {

static int gleaner_option(int which, char const* value, int remote) {
  if (remote) return 0;
  return gleaner::plugins::guard(-1, gleaner::spank::log_error, [&] {
    return gleaner::spank::on_option(&gleaner::spank::options()[which], value);
  });
}

int slurm_spank_init(spank_t spank, int, char**) {
  auto const context = spank_context();
  if (context != S_CTX_LOCAL && context != S_CTX_ALLOCATOR) return 0;
  return gleaner::plugins::guard(0, gleaner::spank::log_error, [&] {
    int which = 0;
    for (auto& option : gleaner::spank::options()) {
      gleaner::spank::forget_inherited(option);
      spank_option registered = {option.name, option.argument, option.usage,
                                 1,           which++,         gleaner_option};
      if (spank_option_register(spank, &registered) != ESPANK_SUCCESS)
        gleaner::spank::log_error(
            (std::string("cannot register --") + option.name).c_str());
    }
    return 0;
  });
}

int slurm_spank_init_post_opt(spank_t spank, int, char**) {
  return gleaner::plugins::guard(-1, gleaner::spank::log_error, [&] {
    return gleaner::spank::send_along(spank);
  });
}

}  // extern "C"
