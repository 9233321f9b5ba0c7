// SPDX-License-Identifier: Apache-2.0
/// gleaner-agent: the command line of the agent.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <exception>

#include "core/log.hh"
#include "proto/wrapped_secret.hh"
#include "runtime/agent/agent.hh"
#include "runtime/os/handed_secret.hh"

namespace {

/// From srun's start of us, which has the secret at hand.
constexpr std::chrono::seconds secret_time{30};

std::string environment(char const* name) {
  char const* value = std::getenv(name);
  return value ? value : "";
}

int refuse(std::string const& why) {
  log_to_stderr(gleaner::LogLevel::error,
                gleaner::LogLine("agent").kv("why", why));
  return 2;
}

/// From the file that the user named, or as the coordinator sends it.
gleaner::Result<std::string> read_secret() {
  if (auto const file = environment("GLEANER_SECRET_FILE"); !file.empty())
    return gleaner::os::secret_of_file(file);
  auto line = gleaner::os::read_secret_line(STDIN_FILENO, secret_time);
  if (!line)
    return gleaner::Error{
        line.error().code,
        line.error().message +
            " (the agent is started by gleaner run, not by hand) "
            "[see gleaner(1)]"};
  if (!gleaner::proto::is_wrapped(*line)) return line;
  auto secret =
      gleaner::proto::unwrap_secret(environment("GLEANER_MUNGE_SOCKET"), *line);
  if (!secret)
    return gleaner::Error{
        secret.error().code,
        secret.error().message +
            " (the training's secret comes as a MUNGE credential) [let munged "
            "run here, or set GLEANER_SECRET_FILE for the job]"};
  return secret;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    CLI::App app{
        "Starts and watches the members of a training on this node.  Started "
        "by gleaner run in each lease; see gleaner(1)."};
    CLI11_PARSE(app, argc, argv);
    if (char const* level = std::getenv("GLEANER_LOG"))
      gleaner::set_log_level(gleaner::log_level(level));
    auto options = gleaner::agent::AgentOptions::from_environment();
    if (!options) return refuse(options.error().message);
    auto secret = read_secret();
    if (!secret) return refuse(secret.error().message);
    options->secret = std::move(*secret);
    return gleaner::agent::Agent(std::move(*options)).run();
  } catch (std::exception const& e) {
    log_to_stderr(gleaner::LogLevel::error,
                  gleaner::LogLine("agent").kv("why", e.what()));
    return 1;
  }
}
