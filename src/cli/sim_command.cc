// SPDX-License-Identifier: Apache-2.0
/// `gleaner sim`: what a policy would make of idle nodes, in simulation.
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include "alloc/allocator.hh"
#include "cli/commands.hh"
#include "sim/engine.hh"
#include "sim/recorded_holes.hh"
#include "sim/summary.hh"

namespace gleaner::cli {
namespace {

enum class RulesName { freetrain, gleaner };

struct SimOptions {
  std::string idle_events, trainers, curves;
  std::string policy = "exact";
  sim::EngineOptions engine;
  sim::RecordedHolesOptions holes;
  RulesName rules = RulesName::freetrain;
  sim::LumpCosts lump;
  sim::PhaseCosts phases;
  double cost_scale = 1;
  std::string json, timeline;
};

int complain(std::string const& message) {
  std::fprintf(stderr, "gleaner: %s\n", message.c_str());
  return 2;
}

Result<std::vector<sim::Training>> read_trainings(SimOptions const& options) {
  auto const curves = sim::read_curves(options.curves);
  if (!curves) return curves.error();
  auto trainings = sim::read_trainings(options.trainers, *curves);
  if (!trainings) return trainings.error();
  for (auto& training : *trainings) {
    training.expand_s *= options.cost_scale;
    training.shrink_s *= options.cost_scale;
  }
  return trainings;
}

int simulate(SimOptions const& options) {
  auto const trainings = read_trainings(options);
  if (!trainings) return complain(trainings.error().message);
  auto recorded = sim::read_idle_events(options.idle_events);
  if (!recorded) return complain(recorded.error().message);
  auto const policy = make_allocator(options.policy);
  if (!policy) return complain(policy.error().message);
  sim::RecordedHoles holes(std::move(*recorded), options.holes);
  auto const rules = options.rules == RulesName::freetrain
                         ? sim::lump_rules(options.lump)
                         : sim::phase_rules(options.phases);
  auto const outcome =
      sim::Engine(*trainings, holes, **policy, *rules, options.engine).run();
  nlohmann::ordered_json json{{"policy", options.policy}};
  json.update(sim::summary(outcome));
  if (options.json.empty())
    std::printf("%s\n", json.dump(2).c_str());
  else
    std::ofstream(options.json) << json.dump(2) << '\n';
  return 0;
}

}  // namespace

void add_sim(CLI::App& app, Run& run) {
  auto const options = std::make_shared<SimOptions>();
  auto& o = *options;
  auto* sim = app.add_subcommand(
      "sim", "What a policy makes of idle nodes, in simulation");
  sim->add_option("--idle-events", o.idle_events, "Recorded idle events");
  sim->add_option("--trainers", o.trainers, "Trainings")->required();
  sim->add_option("--curves", o.curves, "Throughput curves")->required();
  sim->add_option("--policy", o.policy, "Who gets which nodes");
  sim->add_option("--t-fwd", o.engine.forward_looking_s,
                  "Time in which a resize must pay, s");
  sim->add_option("--max-trainers", o.engine.trainers_max,
                  "Trainings admitted at the same time");
  sim->add_option("--until", o.engine.until_s, "End the run then, s");
  sim->add_option("--known-ends", o.holes.known_ahead_s,
                  "How far ahead the end of a hole is told, s");
  sim->add_option("--seed", o.holes.seed, "Shuffle what has no order");
  sim->add_option("--cost-scale", o.cost_scale, "Multiply resize costs");
  sim->add_flag("--charge-cold-start", o.lump.charge_start,
                "Beginning costs expand_s, too");
  sim->add_option("--json", o.json, "Write the figures there");
  sim->callback(
      [options, &run] { run = [options] { return simulate(*options); }; });
}

}  // namespace gleaner::cli
