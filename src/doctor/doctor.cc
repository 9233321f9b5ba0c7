// SPDX-License-Identifier: Apache-2.0
/// gleaner-doctor, run by `gleaner doctor`: would this Slurm bear Gleaner?
///
/// It asks slurmctld as gleanerd does and shows what gleanerd would find, so it
/// can be used before anything is installed.  It changes nothing.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "config.h"
#include "core/config.hh"
#include "doctor/findings_view.hh"
#include "doctor/lease_ends.hh"
#include "doctor/plugin_files.hh"
#include "slurm/control.hh"

namespace gleaner::doctor {
namespace {

constexpr int exit_refused = 1, exit_unknown = 2;
constexpr int lease_ends_max = 100;  ///< what their median is taken of

struct Options {
  std::string config;  ///< path of gleaner.yaml; "": where it is by default
  Form form = Form::text;
};

int complain(std::string const& what) {
  std::fprintf(stderr, "gleaner: %s\n", what.c_str());
  return exit_unknown;
}

/// Without a gleaner.yaml the defaults are judged: there may be none yet.
Result<Config> read_config(Options const& options) {
  if (!options.config.empty()) return load_config(options.config);
  auto const path = config_path();
  auto config = load_config(path);
  if (config || config.error().code != Errc::io) return config;
  std::fprintf(stderr, "gleaner: there is no %s; these are the defaults\n",
               path.c_str());
  return default_config();
}

int run(Options const& options) {
  auto const config = read_config(options);
  if (!config) return complain(config.error().message);
  if (auto done = slurm::init_libslurm(); !done)
    return complain(done.error().message);
  auto setup = slurm::make_slurm_control(*config)->check();
  if (!setup) return complain(setup.error().message);
  for (auto& finding : judge_plugin_files(setup->plugin_dirs))
    setup->findings.push_back(std::move(finding));
  judge_lease_ends(
      read_lease_ends(config->state_dir + "/journal.sqlite", lease_ends_max),
      *config, &*setup);
  std::fputs(findings_text(*setup, *config, options.form).c_str(), stdout);
  return setup->refuses() ? exit_refused : 0;
}

int main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Check whether this Slurm would bear Gleaner, and say what to "
      "change",
      "gleaner doctor");
  app.set_version_flag("--version", PACKAGE_VERSION);
  app.add_option("--config", options.config, "gleaner.yaml to read");
  app.add_flag_callback(
      "--quiet", [&options] { options.form = Form::findings_only; },
      "Only what is to be changed");
  app.add_flag_callback(
      "--json", [&options] { options.form = Form::json; },
      "Write the findings as JSON");
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& error) {
    return app.exit(error) == 0 ? 0 : exit_unknown;
  }
  return run(options);
}

}  // namespace
}  // namespace gleaner::doctor

int main(int argc, char** argv) {
  try {
    return gleaner::doctor::main(argc, argv);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "gleaner: %s\n", error.what());
    return 2;
  }
}
