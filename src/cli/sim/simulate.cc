// SPDX-License-Identifier: Apache-2.0
/// Reads the inputs, runs the engine, adds up.
#include "cli/sim/simulate.hh"

#include <utility>

#include "sim/backfill.hh"
#include "sim/rigid_figures.hh"
#include "sim/summary.hh"
#include "sim/trivial.hh"

namespace gleaner::cli {
namespace {

using Progress = std::function<void(double)>;

Result<std::vector<sim::Training>> read_trainings(SimOptions const& options) {
  auto const curves = sim::read_curves(options.curves);
  if (!curves) return curves.error();
  auto trainings = sim::read_trainings(options.trainers, *curves);
  if (!trainings) return trainings.error();
  for (auto& training : *trainings) {
    training.expand_s *= options.cost_scale;
    training.shrink_s *= options.cost_scale;
    training.work_samples *= options.work_scale;
  }
  return trainings;
}

/// Everything but where the holes come from.
class Run {
 public:
  Run(SimOptions const& options, std::vector<sim::Training> trainings,
      std::unique_ptr<alloc::Allocator> allocator)
      : options_(options),
        trainings_(std::move(trainings)),
        allocator_(std::move(allocator)) {
    auto phases = options.phases;
    for (double* cost : {&phases.prepare_s, &phases.node_start_s,
                         &phases.stall_s, &phases.loss_s})
      *cost *= options.cost_scale;
    rules_ = options.rules == SimOptions::Rules::freetrain
                 ? sim::lump_rules(options.lump)
                 : sim::phase_rules(phases);
  }

  SimResult on(sim::HoleSource& holes, sim::EngineOptions const& engine,
               Progress const& progress) {
    SimResult result;
    result.nodes = holes.nodes();
    result.outcome =
        sim::Engine(trainings_, holes, *allocator_, *rules_, engine)
            .run(progress);
    result.figures["policy"] = options_.allocator.policy;
    result.figures["seed"] = options_.seed;
    result.figures.update(sim::summary(result.outcome));
    return result;
  }

 private:
  SimOptions const& options_;
  std::vector<sim::Training> trainings_;
  std::unique_ptr<alloc::Allocator> allocator_;
  std::unique_ptr<sim::Rules> rules_;
};

Result<SimResult> on_recording(SimOptions const& options, Run& run,
                               Progress const& progress) {
  auto recorded = sim::read_idle_events(options.idle_events);
  if (!recorded) return recorded.error();
  sim::RecordedHoles holes(std::move(*recorded),
                           {options.known_ahead_s, options.seed});
  return run.on(holes, options.engine, progress);
}

void add_rigid(SimResult& result, sim::RigidFigures const& rigid,
               double node_s) {
  auto& figures = result.figures;
  double const idle_node_s = node_s - rigid.busy_node_s;
  figures["node_h_idle"] = idle_node_s / 3600;
  figures["harvest_ratio"] =
      idle_node_s > 0 ? result.outcome.used_node_s / idle_node_s : 0;
  figures["rigid_jobs"] = rigid.jobs;
  figures["rigid_wait_s"] = rigid.wait_s;
  figures["rigid_wait_before_s"] = rigid.wait_alone_s;
  figures["rigid_start_delay_s"] = rigid.delay_s;
  figures["rigid_start_delay_max_s"] = rigid.delay_s_max;
  figures["rigid_starts_moved"] = rigid.moved;
  figures["utilisation_before"] = rigid.busy_alone_node_s / node_s;
  figures["utilisation_after"] =
      (rigid.busy_node_s + result.outcome.used_node_s) / node_s;
}

Result<SimResult> on_job_log(SimOptions const& options, Run& run,
                             Progress const& progress) {
  auto const log = sim::read_swf(options.swf);
  if (!log) return log.error();
  sim::BackfillOptions machine{options.nodes > 0 ? options.nodes : log->nodes,
                               options.reclaim_s};
  auto with = sim::Backfill::make(*log, machine);
  if (!with)
    return Error{with.error().code, options.swf + ": " + with.error().message};
  auto alone = *with;
  auto engine = options.engine;
  engine.until_s = std::min(engine.until_s, log->length_s);
  auto result = run.on(*with, engine, progress);
  sim::play_alone(*with, engine.until_s);
  sim::play_alone(alone, engine.until_s);
  add_rigid(result,
            sim::rigid_figures(*log, with->starts_s(), alone.starts_s(),
                               engine.until_s),
            machine.nodes * engine.until_s);
  result.figures["rigid_starts_reclaiming"] = with->reclaims();
  return result;
}

Result<std::unique_ptr<alloc::Allocator>> make_policy(
    alloc::AllocatorOptions options) {
  if (options.policy == "trivial")
    return std::unique_ptr<alloc::Allocator>(std::make_unique<sim::Trivial>());
  return alloc::make_allocator(std::move(options));
}

}  // namespace

Result<SimResult> simulate(SimOptions const& options,
                           Progress const& progress) {
  auto trainings = read_trainings(options);
  if (!trainings) return trainings.error();
  auto policy = options.allocator;
  // Only under the published rules a swapped node costs nothing.
  if (options.rules != SimOptions::Rules::freetrain)
    policy.extras.swaps = false;
  auto allocator = make_policy(std::move(policy));
  if (!allocator) return allocator.error();
  Run run(options, std::move(*trainings), std::move(*allocator));
  return options.swf.empty() ? on_recording(options, run, progress)
                             : on_job_log(options, run, progress);
}

}  // namespace gleaner::cli
