// SPDX-License-Identifier: Apache-2.0
/// The subcommands of `gleaner`, each with its options.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace gleaner::cli {

/// What the chosen subcommand does; returns the exit status.
using Run = std::function<int()>;

/// Each adds its subcommand to `app`, and sets `run` if that is chosen; `run`
/// must outlive `app`.
void add_sim(CLI::App& app, Run& run);

/// status, profile, report and admin, which ask gleanerd or read its journal.
/// Adds nothing in a build without gleanerd.
void add_cluster_commands(CLI::App& app, Run& run);

}  // namespace gleaner::cli
