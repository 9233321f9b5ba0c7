// SPDX-License-Identifier: Apache-2.0
/// Which commands does `gleaner` have?
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <variant>

#include "cli/own_program.hh"

namespace gleaner::cli {

/// What the chosen command does; returns the exit status.
using Run = std::function<int()>;

/// Adds a command's options to `command`, and sets `run` if that command is
/// chosen; `run` must outlive `command`.
using AddOptions = void (*)(CLI::App& command, Run& run);

/// `gleaner NAME ...`.
struct Command {
  char const* name;
  char const* help;
  std::variant<AddOptions, OwnProgram> what;  ///< here, or another program
};

/// All commands, in the order of `gleaner --help`.  A build without gleanerd
/// lacks those that ask it or read its journal.
std::span<Command const> commands();

}  // namespace gleaner::cli
