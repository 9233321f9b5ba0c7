// SPDX-License-Identifier: Apache-2.0
/// gleaner-agent: the command line of the agent.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>

#include "core/log.hh"
#include "runtime/agent/agent.hh"

int main(int argc, char** argv) {
  try {
    CLI::App app{
        "Starts and watches the members of a training on this node.  Started "
        "by gleaner run in each lease; see gleaner(1)."};
    CLI11_PARSE(app, argc, argv);
    if (char const* level = std::getenv("GLEANER_LOG"))
      gleaner::set_log_level(gleaner::log_level(level));
    auto const options = gleaner::AgentOptions::from_environment();
    if (!options) {
      log_to_stderr(
          gleaner::LogLevel::error,
          gleaner::LogLine("agent").kv("why", options.error().message));
      return 2;
    }
    return gleaner::Agent(*options).run();
  } catch (std::exception const& e) {
    log_to_stderr(gleaner::LogLevel::error,
                  gleaner::LogLine("agent").kv("why", e.what()));
    return 1;
  }
}
