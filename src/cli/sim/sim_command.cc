// SPDX-License-Identifier: Apache-2.0
/// `gleaner sim`: its options, and where its results go.
#include "cli/sim/sim_command.hh"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include "cli/sim/sim_timeline.hh"
#include "cli/sim/simulate.hh"

namespace gleaner::cli {
namespace {

constexpr char examples[] = R"(Examples:
  gleaner sim --idle-events idle.csv.gz --trainers trainers.csv \
    --curves curves.csv --policy gleaner --t-fwd 200 --max-trainers 100 \
    --charge-cold-start --json out.json --timeline out.svg
  gleaner sim --swf jobs.swf --nodes 100 --trainers trainers.csv \
    --curves curves.csv --rules gleaner --reclaim 10)";

struct Outputs {
  std::string json;
  std::string timeline;
};

int complain(std::string const& message) {
  std::fprintf(stderr, "gleaner: %s\n", message.c_str());
  return 2;
}

/// Simulated days, rewritten in place; only people watch, so only a terminal.
std::function<void(double)> progress_on_terminal() {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [last = -1.0](double now_s) mutable {
    double const days = std::floor(now_s / 8640) / 10;
    if (days == last) return;
    last = days;
    std::fprintf(stderr, "\rsimulated %.1f days ", days);
  };
}

Result<void> write(std::string const& file, std::string const& text) {
  std::ofstream out(file);
  out << text;
  out.close();
  if (out) return {};
  return Error{Errc::io, "cannot write '" + file +
                             "' [name a file in a "
                             "directory that exists and has room]"};
}

int run_sim(SimOptions options, Outputs const& outputs) {
  if (!outputs.timeline.empty())
    options.engine.handovers = sim::EngineOptions::Handovers::record;
  auto const result = simulate(options, progress_on_terminal());
  if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\r\033[K");
  if (!result) return complain(result.error().message);
  auto const json = result->figures.dump(2) + "\n";
  if (outputs.json.empty()) std::fputs(json.c_str(), stdout);
  for (auto const& [file, text] :
       {std::pair(outputs.json, json),
        std::pair(outputs.timeline,
                  outputs.timeline.empty() ? "" : sim_timeline_svg(*result))})
    if (!file.empty())
      if (auto written = write(file, text); !written)
        return complain(written.error().message);
  return 0;
}

void add_inputs(CLI::App& sim, SimOptions& o) {
  auto* recorded =
      sim.add_option("--idle-events", o.idle_events,
                     "Recorded holes: t_s,node,state (may be .gz)");
  auto* swf = sim.add_option("--swf", o.swf,
                             "Instead, a log of rigid jobs, run by FCFS with "
                             "EASY backfill");
  recorded->excludes(swf);
  sim.add_option("--nodes", o.nodes,
                 "Nodes of that machine; by default the log's MaxNodes")
      ->check(CLI::PositiveNumber)
      ->needs(swf);
  sim.add_option("--reclaim", o.reclaim_s,
                 "Time that a lease takes to give its node back, s")
      ->check(CLI::NonNegativeNumber)
      ->needs(swf);
  sim.add_option("--trainers", o.trainers, "File of the training jobs")
      ->required();
  sim.add_option("--curves", o.curves, "Their throughput curves")->required();
  sim.add_option("--work-scale", o.work_scale,
                 "Multiply the work of every training job by this")
      ->check(CLI::PositiveNumber);
  sim.add_option(
         "--known-ends", o.known_ahead_s,
         "Tell the end of a recorded hole this long before it, s; by default "
         "never")
      ->check(CLI::NonNegativeNumber)
      ->needs(recorded);
  sim.add_option("--seed", o.seed,
                 "Shuffle nodes that become idle together; 0: as recorded");
  sim.add_option("--until", o.engine.until_s, "End the run then, s")
      ->check(CLI::PositiveNumber);
}

/// Switches off one thing that policy `gleaner` knows.
struct Without {
  char const* name;
  void (*apply)(alloc::Extras&);
};
constexpr Without extras[] = {
    {"normalise", [](alloc::Extras& extras) { extras.normalise = false; }},
    {"cold_start", [](alloc::Extras& extras) { extras.start_share = 0; }},
    {"cohorts", [](alloc::Extras& extras) { extras.cohorts = false; }},
    {"swaps", [](alloc::Extras& extras) { extras.swaps = false; }},
    {"losses", [](alloc::Extras& extras) { extras.losses_per_node_s = 0; }},
    {"work_left",
     [](alloc::Extras& extras) { extras.work_left_first = false; }},
};

void add_policy(CLI::App& sim, SimOptions& o) {
  sim.add_option("--policy", o.allocator.policy, "How nodes are shared")
      ->capture_default_str();
  std::vector<std::string> names;
  for (auto const& extra : extras) names.push_back(extra.name);
  sim.add_flag("--short-holes", o.allocator.extras.short_holes,
               "Give trainers no node in holes that are too short for their "
               "own costs");
  sim.add_option_function<std::vector<std::string>>(
         "--without",
         [&o](std::vector<std::string> const& chosen) {
           for (auto const& extra : extras)
             if (std::find(chosen.begin(), chosen.end(), extra.name) !=
                 chosen.end())
               extra.apply(o.allocator.extras);
         },
         "gleaner: leave out one thing that it knows beyond exact (may be "
         "repeated)")
      ->check(CLI::IsMember(names));
  sim.add_option("--t-fwd", o.engine.forward_looking_s,
                 "Forward-looking time, within which a resize must pay, s")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  sim.add_option("--max-trainers", o.engine.trainers_max,
                 "Training jobs admitted at the same time")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

void add_knowledge(CLI::App& sim, SimOptions& o) {
  using Of = sim::KnowledgeOptions::Of;
  using Families = sim::KnowledgeOptions::Families;
  auto& knowledge = o.engine.knowledge;
  sim.add_option("--knowledge", knowledge.of,
                 "What the policy is told about how training jobs scale")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Of>{{"truth", Of::truth},
                                    {"guess", Of::guess},
                                    {"users", Of::users},
                                    {"advisor", Of::advisor}}))
      ->default_str("truth");
  sim.add_option("--families", knowledge.families,
                 "advisor: training jobs of a model learn from each other")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Families>{
          {"own", Families::own}, {"shared", Families::shared}}))
      ->default_str("own");
  sim.add_option("--settled-s", knowledge.settled_s,
                 "advisor: time after which a size is measured, s")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  sim.add_option("--profile-share", knowledge.profile_share,
                 "advisor: part of the lent node time for measuring on purpose")
      ->check(CLI::Range(0.0, 0.1))
      ->capture_default_str();
  sim.add_option_function<std::vector<double>>(
         "--told-costs",
         [&o](std::vector<double> const& costs) {
           o.engine.told_costs = {costs[0], costs[1], costs[2]};
         },
         "Tell the policy these costs, s: expand,shrink,start")
      ->delimiter(',')
      ->expected(3)
      ->check(CLI::NonNegativeNumber);
}

void add_rules(CLI::App& sim, SimOptions& o) {
  sim.add_option("--rules", o.rules, "How resizes are charged")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, SimOptions::Rules>{
              {"freetrain", SimOptions::Rules::freetrain},
              {"gleaner", SimOptions::Rules::gleaner}}))
      ->default_str("freetrain");
  sim.add_flag("--charge-cold-start", o.lump.charge_start,
               "freetrain: a start also costs expand_s");
  sim.add_option("--cost-scale", o.cost_scale,
                 "Multiply all costs of resizes by this")
      ->check(CLI::NonNegativeNumber);
  auto const phase = [&](char const* name, double& value, char const* what) {
    sim.add_option(name, value, std::string("gleaner: ") + what)
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
  };
  phase("--prepare-s", o.phases.prepare_s,
        "time in which new nodes prepare while training continues, s");
  phase("--node-start-s", o.phases.node_start_s,
        "additional time for each new node, s");
  phase("--stall-s", o.phases.stall_s,
        "time without training at a planned switch, s");
  phase("--loss-s", o.phases.loss_s, "time without training after a loss, s");
}

}  // namespace

void sim_command(CLI::App& sim, Run& run) {
  auto const options = std::make_shared<SimOptions>();
  options->allocator.extras.swaps = true;
  auto const outputs = std::make_shared<Outputs>();
  sim.footer(examples);
  add_inputs(sim, *options);
  add_policy(sim, *options);
  add_knowledge(sim, *options);
  add_rules(sim, *options);
  sim.add_option("--json", outputs->json,
                 "Write the figures there; by default to standard output");
  sim.add_option("--timeline", outputs->timeline, "Write an SVG picture");
  sim.callback([options, outputs, &run] {
    options->engine.knowledge.seed = options->seed + 1;
    if (options->idle_events.empty() && options->swf.empty())
      throw CLI::RequiredError("--idle-events or --swf");
    run = [options, outputs] { return run_sim(*options, *outputs); };
  });
}

}  // namespace gleaner::cli
