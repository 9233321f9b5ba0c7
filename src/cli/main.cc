// SPDX-License-Identifier: Apache-2.0
/// The `gleaner` command: which subcommand was asked for.
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>

#include "cli/commands.hh"
#include "cli/own_program.hh"
#include "cli/solve_command.hh"
#include "config.h"

namespace gleaner::cli {
namespace {

void add_solve(CLI::App& app, Run& run) {
  auto const options = std::make_shared<SolveOptions>();
  auto* solve = app.add_subcommand(
      "solve", "Decide again which training gets which idle node");
  solve
      ->add_option("file", options->path,
                   "A problem as JSON, or a problem_log; -: standard input")
      ->required();
  solve->add_option("--policy", options->policy,
                    "Policy; by default the recorded one, else gleaner");
  auto* record = solve->add_option("--record", options->record,
                                   "Record of a problem_log, from 1; by "
                                   "default the last");
  solve
      ->add_flag("--all", options->all,
                 "Every record: which gets another plan than recorded?")
      ->excludes(record);
  solve->add_flag_callback(
      "--json", [options] { options->form = SolveOptions::Form::json; },
      "Write the plan as JSON");
  solve->add_option("--limit-ms", options->limit_ms, "Give up after this long")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  solve->callback(
      [options, &run] { run = [options] { return run_solve(*options); }; });
}

/// `gleaner NAME …` is another program's.
struct Becomes {
  char const* command;
  OwnProgram program;
};
constexpr Becomes becomes[] = {
    {"run", {"gleaner-coordinator", "runtime/coordinator"}},
    {"doctor", {"gleaner-doctor", "src/doctor"}},
    {"campaign", {"gleaner-campaign", "runtime/python"}},
};

int main(int argc, char** argv) {
  // What follows belongs to that program, --help included.
  for (auto const& [command, program] : becomes)
    if (argc > 1 && std::strcmp(argv[1], command) == 0)
      return become(program, {argv + 2, argv + argc});

  CLI::App app("Malleable training on the nodes that Slurm leaves idle");
  app.set_version_flag("--version", PACKAGE_VERSION);
  app.require_subcommand(1);
  app.add_subcommand("run", "Run a training; to be called in its batch job");
  app.add_subcommand("campaign",
                     "Search for the best parameters: one trial after the "
                     "other, on idle nodes");
  app.add_subcommand("doctor",
                     "Check whether this Slurm would bear Gleaner, and say "
                     "what to change");
  Run run;
  add_cluster_commands(app, run);
  add_solve(app, run);
  add_sim(app, run);
  CLI11_PARSE(app, argc, argv);
  return run();
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
