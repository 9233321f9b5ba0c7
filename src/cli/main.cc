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
#include "cli/solve_command.hh"
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

void add_solve(CLI::App& app, SolveOptions& options) {
  auto* solve = app.add_subcommand(
      "solve", "Decide again which training gets which idle node");
  solve
      ->add_option("file", options.path,
                   "A problem as JSON, or a problem_log; -: standard input")
      ->required();
  solve->add_option("--policy", options.policy,
                    "Policy; by default the recorded one, else gleaner");
  auto* record = solve->add_option("--record", options.record,
                                   "Record of a problem_log, from 1; by "
                                   "default the last");
  solve
      ->add_flag("--all", options.all,
                 "Every record: which gets another plan than recorded?")
      ->excludes(record);
  solve->add_flag_callback(
      "--json", [&] { options.form = SolveOptions::Form::json; },
      "Write the plan as JSON");
  solve->add_option("--limit-ms", options.limit_ms, "Give up after this long")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
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
  SolveOptions solve;
  add_status(app, status);
  add_report(app, report);
  add_solve(app, solve);
  CLI11_PARSE(app, argc, argv);
  if (app.got_subcommand("status")) return run_status(status);
  if (app.got_subcommand("solve")) return run_solve(solve);
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
