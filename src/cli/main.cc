// SPDX-License-Identifier: Apache-2.0
/// The `gleaner` command: which of its commands was asked for.
#include <cstdio>
#include <cstring>
#include <exception>

#include "cli/commands.hh"
#include "config.h"

namespace gleaner::cli {
namespace {

int main(int argc, char** argv) {
  // What follows the name of another program belongs to it, --help included.
  for (auto const& command : commands())
    if (auto const* program = std::get_if<OwnProgram>(&command.what))
      if (argc > 1 && std::strcmp(argv[1], command.name) == 0)
        return become(*program, {argv + 2, argv + argc});

  CLI::App app("Malleable training on the nodes that Slurm leaves idle");
  app.set_version_flag("--version", PACKAGE_VERSION);
  app.require_subcommand(1);
  Run run;
  for (auto const& command : commands()) {
    auto* added = app.add_subcommand(command.name, command.help);
    if (auto const* add_options = std::get_if<AddOptions>(&command.what))
      (*add_options)(*added, run);
  }
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
