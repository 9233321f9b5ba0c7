// SPDX-License-Identifier: Apache-2.0
/// The command line of `gleaner run`.
#include "runtime/coordinator/options.hh"

#include <CLI/CLI.hpp>
#include <asio/ip/host_name.hpp>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "config.h"
#include "core/clock.hh"
#include "core/importance.hh"
#include "core/log.hh"
#include "core/output_pattern.hh"
#include "core/slurm_time.hh"
#include "runtime/os/handed_secret.hh"

namespace gleaner::coordinator {
namespace {

constexpr std::uint32_t shards_default = 16;

std::string environment(char const* name) {
  char const* value = std::getenv(name);
  return value ? value : "";
}

/// gleaner-agent: $GLEANER_LIBEXEC, beside us, in the build tree, installed.
std::string find_agent() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  auto const here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (fs::path const& dir :
       {fs::path(environment("GLEANER_LIBEXEC")), here, here / ".." / "agent",
        here / ".." / ".." / "agent"}) {
    auto const path = dir / "gleaner-agent";
    if (!dir.empty() && fs::is_regular_file(path, ignored))
      return fs::canonical(path, ignored).string();
  }
  return std::string(PKGLIBEXECDIR) + "/gleaner-agent";
}

std::string default_dir(CoordinatorOptions const& options) {
  auto const base = environment("SLURM_SUBMIT_DIR");
  auto const name =
      "gleaner-" + (options.job ? std::to_string(options.job) : "local");
  return (base.empty() ? options.cwd : base) + "/" + name;
}

Result<generation::membership::Options::Follow> follow_wanted() {
  using Follow = generation::membership::Options::Follow;
  auto const text = environment("GLEANER_FOLLOW");
  if (text.empty() || text == "auto") return Follow::automatic;
  if (text == "on") return Follow::on;
  if (text == "off") return Follow::off;
  return Error{Errc::invalid_argument,
               "GLEANER_FOLLOW is '" + text + "', expected auto, on or off"};
}

/// What was given, by the option or else by the variable, and which it was.
struct Given {
  std::string name;
  std::string value;
};
Given given(char const* option, std::string const& value,
            char const* variable) {
  if (!value.empty()) return {option, value};
  return {variable, environment(variable)};
}

Result<msg::Importance> read_importance(std::string const& weight,
                                        std::string const& deadline) {
  msg::Importance importance;
  if (auto const w = given("--weight", weight, "GLEANER_WEIGHT");
      !w.value.empty()) {
    auto const read = parse_weight(w.name, w.value);
    if (!read) return read.error();
    importance.weight = *read;
  }
  if (auto const d = given("--deadline", deadline, "GLEANER_DEADLINE");
      !d.value.empty()) {
    auto const read = parse_slurm_time(d.value, SystemClock().wall_s());
    if (!read)
      return Error{read.error().code, d.name + ": " + read.error().message};
    importance.deadline_s = *read;
  }
  return importance;
}

/// What a node cannot fill in is filled in.
Result<void> complete_pattern(CoordinatorOptions const& options,
                              std::string const& name, std::string* pattern) {
  if (auto known = check_output_pattern(*pattern); !known)
    return Error{known.error().code, name + ": " + known.error().message};
  auto const job = options.job ? std::to_string(options.job) : "local";
  *pattern = fill_in_pattern(*pattern, {{'j', job}});
  auto const folder = std::filesystem::path(*pattern).parent_path();
  std::error_code error;
  if (folder.empty() || folder.string().find('%') != std::string::npos ||
      std::filesystem::is_directory(folder, error))
    return {};
  return Error{Errc::invalid_argument, name + ": there is no directory '" +
                                           folder.string() +
                                           "' [it is not made]"};
}

Result<void> complete(CoordinatorOptions* options) {
  auto follow = follow_wanted();
  if (!follow) return follow.error();
  options->follow = *follow;
  if (auto const file = environment("GLEANER_SECRET_FILE"); !file.empty()) {
    auto secret = os::secret_of_file(file);
    if (!secret)
      return Error{secret.error().code,
                   "GLEANER_SECRET_FILE: " + secret.error().message};
    options->secret = std::move(*secret);
  }
  std::error_code error;
  options->cwd = std::filesystem::current_path(error).string();
  if (error)
    return Error{Errc::io,
                 "cannot find the current directory (" + error.message() + ")"};
  auto const job = environment("SLURM_JOB_ID");
  std::from_chars(job.data(), job.data() + job.size(), options->job);
  if (auto done = complete_pattern(*options, "--output", &options->output);
      !done)
    return done.error();
  if (auto done = complete_pattern(*options, "--error", &options->errors);
      !done)
    return done.error();
  // Slurm started the batch job again.
  if (!environment("SLURM_RESTART_COUNT").empty()) options->resume = true;
  if (options->dir.empty()) options->dir = default_dir(*options);
  options->dir = std::filesystem::absolute(options->dir, error).string();
  if (options->agent.empty()) options->agent = find_agent();
  if (options->address.empty())
    options->address = environment("GLEANER_HOST_ADDRESS");
  options->address_chosen =
      options->local_nodes >= 0 || !options->address.empty();
  if (options->local_nodes >= 0) {
    if (options->address.empty()) options->address = "127.0.0.1";
    options->config = default_config();
    return {};
  }
  if (options->job == 0)
    return Error{Errc::invalid_argument,
                 "SLURM_JOB_ID is not set (gleaner run works inside a job) "
                 "[submit with sbatch --malleable=MIN-MAX, or try "
                 "gleaner run --local=2]"};
  if (options->address.empty()) options->address = asio::ip::host_name();
  auto config = load_config(config_path());
  if (!config) return config.error();
  options->config = std::move(*config);
  return {};
}

}  // namespace

Result<CoordinatorOptions> read_options(int argc, char** argv) {
  CoordinatorOptions options;
  std::string level = "info";
  std::string weight, deadline;
  CLI::App app{
      "Runs a program on nodes that come and go, in a job submitted with\n"
      "sbatch --malleable=MIN-MAX:  gleaner run [OPTIONS] -- PROGRAM [ARG...]"};
  app.name("gleaner run");
  app.set_version_flag("--version", PACKAGE_VERSION);
  app.add_option("program", options.argv, "Program and its arguments")
      ->required();
  app.add_option("--dir", options.dir,
                 "Where events.jsonl and checkpoints/ go "
                 "[submit directory/gleaner-JOBID]");
  app.add_option("--events-max", options.events_bytes_max,
                 "What events.jsonl and its earlier parts may take on the "
                 "disk, such as 100M or 2G; 0: no limit [256M]")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(false));
  auto* output =
      app.add_option("--output", options.output,
                     "File for what members print: %t becomes the member's "
                     "number, %N its node, %j the job [the job's output]")
          ->type_name("PATTERN");
  auto* errors = app.add_option("--error", options.errors,
                                "The same for their standard error [--output]")
                     ->type_name("PATTERN");
  app.add_flag("--label", options.labels,
               "Print the member's number before each line of the members")
      ->excludes(output)
      ->excludes(errors);
  app.add_option("--members-per-node", options.members_per_node,
                 "Processes on each node [one per GPU, at least one]")
      ->check(CLI::Range(1, 1024));
  app.add_option("--comm", options.comm, "Data plane")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "tcp", "mpi", "nccl", "self"}));
  app.add_option("--on-loss", options.on_loss,
                 "What happens to a lost member's samples of a step: with "
                 "recompute the others compute them in the same step; with "
                 "short a later step has them, and a pass may have one more "
                 "step")
      ->capture_default_str()
      ->check(CLI::IsMember({"short", "recompute"}));
  auto* deterministic =
      app.add_option("--deterministic", options.shards,
                     "Cut every step into N shards (16), each computed by "
                     "itself, and compute the same bits whatever members do; "
                     "implies --on-loss=recompute")
          ->expected(0, 1)
          ->type_name("N")
          ->check(CLI::Range(1, 65536));
  app.add_option("--checkpoint-interval", options.checkpoint_interval_s,
                 "Seconds between checkpoints; 0: only before waiting at zero "
                 "nodes")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--failure-timeout", options.failure_timeout_s,
                 "Seconds of silence after which a member counts as lost")
      ->capture_default_str()
      ->check(CLI::Range(0.5, 3600.0));
  app.add_option("--load-timeout", options.load_timeout_s,
                 "Seconds from a member's start to its gleaner_start() "
                 "[120 failure timeouts]")
      ->check(CLI::Range(0.5, 1e6));
  app.add_option("--connect-timeout", options.connect_timeout_s,
                 "Seconds for members to connect after a loss [the failure "
                 "timeout]")
      ->check(CLI::Range(0.5, 3600.0));
  app.add_option("--stuck-timeout", options.stuck_timeout_s,
                 "Seconds that all others wait for a member before it counts "
                 "as stuck [12 failure timeouts, at least 10 steps]")
      ->check(CLI::Range(0.5, 1e6));
  app.add_option("--finish-timeout", options.finish_timeout_s,
                 "Seconds that the program may run after the last step")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--stop-timeout", options.stop_timeout_s,
                 "Seconds from a signal that asks it to end until members that "
                 "have not come to the end of a step are killed; less than "
                 "Slurm's KillWait")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6));
  app.add_flag("--resume", options.resume,
               "Continue from the newest checkpoint in the run directory, as a "
               "requeued job does");
  app.add_option("--address", options.address,
                 "Name or address of this host, as other nodes reach it "
                 "[$GLEANER_HOST_ADDRESS, or the host name]");
  app.add_option("--listen", options.listen,
                 "Address of this host to listen on, if nodes reach the host "
                 "under another one [what --address resolves to]");
  app.add_option(
         "--local", options.local_nodes,
         "Without Slurm: begin with N nodes, which are processes on this "
         "machine; DIR/control takes 'add' and 'remove NODE SECONDS'")
      ->check(CLI::Range(0, 1024));
  app.add_option("--nodes-min", options.nodes_min,
                 "With --local: nodes needed to run")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  app.add_option("--weight", weight,
                 "How much this training matters among your own, 0.1 to 10 "
                 "[what sbatch --malleable-weight said, or 1]")
      ->type_name("W");
  app.add_option("--deadline", deadline,
                 "When it should be finished, as for sbatch --begin [what "
                 "sbatch --malleable-deadline said]")
      ->type_name("TIME");
  app.add_option("--log-level", level, "error, warn, info or debug")
      ->capture_default_str()
      ->check(CLI::IsMember({"error", "warn", "info", "debug"}));
  app.prefix_command(false);
  app.positionals_at_end(true);
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& e) {
    if (e.get_exit_code() == 0) {
      app.exit(e, std::cout, std::cerr);
      return CoordinatorOptions{};
    }
    return Error{Errc::invalid_argument,
                 std::string(e.what()) + " [gleaner run --help]"};
  }
  if (*deterministic && options.shards == 0) options.shards = shards_default;
  if (options.shards > 0) options.on_loss = "recompute";
  auto importance = read_importance(weight, deadline);
  if (!importance) return importance.error();
  options.importance = *importance;
  set_log_level(log_level(level));
  if (auto done = complete(&options); !done) return done.error();
  return options;
}

}  // namespace gleaner::coordinator
