// SPDX-License-Identifier: Apache-2.0
/// Options of the subcommands that need gleanerd or its journal.
#include <memory>
#include <string>

#include "cli/admin_command.hh"
#include "cli/commands.hh"
#include "cli/profile_command.hh"
#include "cli/report_command.hh"
#include "cli/status_command.hh"

namespace gleaner::cli {
namespace {

void add_status(CLI::App& app, Run& run) {
  auto const options = std::make_shared<StatusOptions>();
  auto* status = app.add_subcommand(
      "status", "Show trainers, leases and idle nodes, as gleanerd sees them");
  status->add_option("--config", options->config, "gleaner.yaml to read");
  auto* json = status->add_flag_callback(
      "--json", [options] { options->form = StatusOptions::Form::json; },
      "Write the answer as JSON");
  status->add_flag("--watch", options->watch, "Ask again every second");
  status
      ->add_option_function<std::string>(
          "--strip",
          [options](std::string const& nodes) {
            options->form = StatusOptions::Form::strip;
            options->strip_nodes = nodes;
          },
          "One line, with a column for each of these nodes")
      ->type_name("NODES")
      ->excludes(json);
  status->callback(
      [options, &run] { run = [options] { return run_status(*options); }; });
}

void add_profile(CLI::App& app, Run& run) {
  auto const options = std::make_shared<ProfileOptions>();
  auto* profile = app.add_subcommand(
      "profile", "Show how fast a training job is on a number of nodes");
  profile->add_option("job", options->job, "Job id of the training job")
      ->required()
      ->type_name("JOB");
  profile->add_option("--config", options->config, "gleaner.yaml to read");
  profile->add_flag("--json", options->json, "Write the answer as JSON");
  profile->add_option("--svg", options->svg, "Write a picture")
      ->type_name("FILE");
  profile->callback(
      [options, &run] { run = [options] { return run_profile(*options); }; });
}

void add_report(CLI::App& app, Run& run) {
  auto const options = std::make_shared<ReportOptions>();
  auto* report = app.add_subcommand(
      "report", "Write figures and a timeline of a run, from its logs");
  report->add_option("--journal", options->journal,
                     "gleanerd's STATE_DIR/journal.sqlite");
  report->add_option("--trainer", options->trainers,
                     "Run directory of a training job (may be repeated)");
  report->add_option("--rigid", options->rigid,
                     "Record of the rigid jobs (JSON lines); without it, "
                     "ask sacct");
  report->add_option("--sacct", options->sacct,
                     "Read this saved answer of sacct instead of asking");
  report->add_option("--config", options->config, "gleaner.yaml to read");
  report->add_option("--rigid-without", options->rigid_without,
                     "Record of the same jobs from a run without Gleaner");
  report->add_option("--nodes", options->nodes, "Nodes to report on");
  report->add_option("--from", options->from_s, "Begin, seconds since 1970");
  report->add_option("--to", options->to_s, "End, seconds since 1970");
  report->add_option("--timeline", options->timeline, "Write an SVG picture");
  report->add_option("--summary", options->summary,
                     "Write the figures as JSON");
  report->add_option("--failure", options->failures,
                     "A failure that the logs do not show (may be repeated)");
  report->add_flag(
      "--check", options->check,
      "Fail unless every training job learned, grew and shrank, and "
      "nothing failed");
  report->add_option("--resizes-min", options->resizes_min,
                     "Resizes in each direction that --check requires");
  report->callback(
      [options, &run] { run = [options] { return run_report(*options); }; });
}

/// One of `gleaner admin`'s orders.
CLI::App* add_order(CLI::App& admin, char const* action, char const* help,
                    std::shared_ptr<AdminOptions> const& options, Run& run) {
  auto* order = admin.add_subcommand(action, help);
  order->add_option("--config", options->config, "gleaner.yaml to read");
  order
      ->add_option(
          "--wait", options->wait_s,
          "Longest time to wait for nodes to come back; 0: do not wait")
      ->check(CLI::NonNegativeNumber)
      ->type_name("SECONDS")
      ->capture_default_str();
  order->callback([options, action, &run] {
    options->action = action;
    run = [options] { return run_admin(*options); };
  });
  return order;
}

void add_admin(CLI::App& app, Run& run) {
  auto const options = std::make_shared<AdminOptions>();
  auto* admin = app.add_subcommand(
      "admin", "Tell gleanerd which nodes it may lend (root and SlurmUser)");
  admin->require_subcommand(1);
  for (auto* order :
       {add_order(*admin, "drain",
                  "Take nodes back, and lend them no more; without NODES: all",
                  options, run),
        add_order(*admin, "resume", "Undo drain; without NODES: for all nodes",
                  options, run)})
    order->add_option("nodes", options->nodes, "As Slurm writes them: n[1-4]")
        ->type_name("NODES");
  add_order(*admin, "observe",
            "Take all nodes back, and then only report holes", options, run);
  add_order(*admin, "on", "Undo observe", options, run);
}

}  // namespace

void add_cluster_commands(CLI::App& app, Run& run) {
  add_status(app, run);
  add_profile(app, run);
  add_report(app, run);
  add_admin(app, run);
}

}  // namespace gleaner::cli
