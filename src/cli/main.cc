// SPDX-License-Identifier: Apache-2.0
/// The `gleaner` command: its subcommands and their options.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "cli/report_command.hh"
#include "cli/run_command.hh"
#include "cli/status_command.hh"
#include "config.h"

namespace gleaner::cli {
namespace {

void add_status(CLI::App& app, StatusOptions& options) {
  auto* status = app.add_subcommand(
      "status", "Show trainers, leases and idle nodes, as gleanerd sees them");
  status->add_option("--config", options.config, "gleaner.yaml to read");
  auto* json = status->add_flag_callback(
      "--json", [&] { options.form = StatusOptions::Form::json; },
      "Write the answer as JSON");
  status->add_flag("--watch", options.watch, "Again every second");
  status
      ->add_option_function<std::string>(
          "--strip",
          [&](std::string const& nodes) {
            options.form = StatusOptions::Form::strip;
            options.strip_nodes = nodes;
          },
          "One line, with a column for each of these nodes")
      ->type_name("NODES")
      ->excludes(json);
}

void add_report(CLI::App& app, ReportOptions& options) {
  auto* report = app.add_subcommand(
      "report", "Figures and a timeline of a run, from its logs");
  report->add_option("--journal", options.journal,
                     "gleanerd's STATE_DIR/journal.sqlite");
  report->add_option("--trainer", options.trainers,
                     "Run directory of a training (may be repeated)");
  report->add_option("--rigid", options.rigid,
                     "Record of the rigid jobs (JSON lines)");
  report->add_option("--rigid-without", options.rigid_without,
                     "The same jobs' record from a run without Gleaner");
  report->add_option("--nodes", options.nodes, "Nodes to report on");
  report->add_option("--from", options.from_s, "Begin, seconds since 1970");
  report->add_option("--to", options.to_s, "End, seconds since 1970");
  report->add_option("--timeline", options.timeline, "Write an SVG picture");
  report->add_option("--summary", options.summary, "Write the figures as JSON");
  report->add_option("--failure", options.failures,
                     "A failure the logs do not tell of (may be repeated)");
  report->add_flag("--check", options.check,
                   "Fail unless every training learned, grew and shrank, and "
                   "nothing failed");
  report->add_option("--resizes-min", options.resizes_min,
                     "Resizes in each direction that --check demands");
}

int main(int argc, char** argv) {
  // What follows `run` belongs to the coordinator, --help included.
  if (argc > 1 && std::strcmp(argv[1], "run") == 0)
    return run_training({argv + 2, argv + argc});

  CLI::App app("Malleable training on the nodes that Slurm leaves idle");
  app.set_version_flag("--version", PACKAGE_VERSION);
  app.require_subcommand(1);
  app.add_subcommand("run", "Run a training; to be called in its batch job");
  StatusOptions status;
  ReportOptions report;
  add_status(app, status);
  add_report(app, report);
  CLI11_PARSE(app, argc, argv);
  if (app.got_subcommand("status")) return run_status(status);
  return run_report(report);
}

}  // namespace
}  // namespace gleaner::cli

int main(int argc, char** argv) {
  try {
    return gleaner::cli::main(argc, argv);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "gleaner: %s\n", error.what());
    return 2;
  }
}
