// SPDX-License-Identifier: Apache-2.0
/// How weights and deadlines reach a plan, and whose nodes they move.
#include "daemon/decisions/importance.hh"

#include <cmath>
#include <limits>

#include "test/unit/daemon/world.hh"

namespace gleaner::daemon {
namespace {

/// As sbatch --malleable-weight=W does.
void submit(World* w, JobId job, double weight, Uid uid = 1000) {
  w->base_job(job, 1, 4, uid);
  w->cluster.trainers.back().weight = weight;
  w->look();
}

/// How many nodes a plan gives each trainer, "7:3 8:1".
std::string planned(World const& w) {
  auto allocator = alloc::make_allocator("gleaner");
  auto const changes = make_changes(w.brain.plan_input(w.now), **allocator);
  REQUIRE(changes);
  std::string text;
  for (std::size_t i = 0; i < changes->decision.plan.size(); ++i)
    text += (text.empty() ? "" : " ") + changes->problem.trainers[i].id + ":" +
            std::to_string(changes->decision.plan[i].size());
  return text;
}

TEST_CASE("of two equal trainings of a user the heavier one gets the nodes") {
  World w;
  w.holes("n[1-3]");
  submit(&w, 7, 1);
  submit(&w, 8, 4);
  w.registers(7);
  w.registers(8);
  CHECK(planned(w) == "7:0 8:3");
}

TEST_CASE("raising all of one's own weights gains nothing against others") {
  World w;
  w.holes("n[1-4]");
  submit(&w, 7, 10, 1000);
  submit(&w, 8, 10, 1000);
  submit(&w, 9, 1, 1001);
  submit(&w, 10, 0.1, 1001);
  for (JobId job : {7, 8}) w.registers(job);
  for (JobId job : {9, 10}) w.registers(job, {}, 1001);
  CHECK(planned(w) == "7:1 8:1 9:2 10:0");
}

TEST_CASE("one's weights share out one's own nodes, not those of others") {
  for (double const weight : {0.1, 1.0, 10.0}) {
    CAPTURE(weight);
    World w;
    w.holes("n[1-4]");
    submit(&w, 7, weight, 1000);
    submit(&w, 8, 1, 1000);
    submit(&w, 9, 1, 1001);
    submit(&w, 10, 1, 1001);
    for (JobId job : {7, 8}) w.registers(job);
    for (JobId job : {9, 10}) w.registers(job, {}, 1001);
    CHECK(planned(w).ends_with("9:1 10:1"));
  }
}

TEST_CASE("what a training says while it runs counts instead") {
  World w;
  w.holes("n[1-3]");
  submit(&w, 7, 1);
  submit(&w, 8, 4);
  w.registers(7);
  w.registers(8);
  w.says(7, msg::Importance{10, {}});
  CHECK(planned(w) == "7:3 8:0");
  w.says(7, msg::Importance{});
  CHECK(planned(w) == "7:0 8:3");
}

TEST_CASE("what it registers with counts instead, too") {
  World w;
  w.holes("n[1-3]");
  submit(&w, 7, 1);
  submit(&w, 8, 1);
  w.registers(7);
  w.brain.on_coordinator(8, 1000, msg::Register{8, {}, {4, {}}}, w.now);
  w.decide();
  CHECK(planned(w) == "7:0 8:3");
}

TEST_CASE(
    "weights and deadlines that nobody could mean are brought into "
    "bounds") {
  double const nan = std::nan("");
  double const inf = std::numeric_limits<double>::infinity();
  CHECK(in_bounds({1e9, {}}).weight == 10);
  CHECK(in_bounds({-1, {}}).weight == 0.1);
  CHECK(in_bounds({nan, {}}).weight == std::nullopt);
  CHECK(in_bounds({{}, nan}).deadline_s == std::nullopt);
  CHECK(in_bounds({{}, inf}).deadline_s == std::nullopt);
  CHECK(in_bounds({{}, -1}).deadline_s == std::nullopt);
  CHECK(in_bounds({2, 1772600000}) == msg::Importance{2, 1772600000});
}

TEST_CASE("a weight that changes is recorded, and is a reason to plan") {
  World w;
  w.holes("n[1-3]");
  submit(&w, 7, 1);
  w.registers(7);
  auto const before = w.recorded("importance");
  w.says(7, msg::Importance{2, {}});
  w.says(7, msg::Importance{2, {}});
  CHECK(w.recorded("importance") == before + 1);
  CHECK(w.records.back().data["weight"] == 2);
}

/// A training on so many nodes that was measured at 10 samples/s on one.
void measures(World* w, JobId job, std::uint64_t samples_left) {
  msg::Pace pace;
  pace.generation = 1;
  pace.nodes = pace.members = 1;
  pace.steps = 100;
  pace.step_s = 10;
  pace.compute_s = pace.compute_max_s = 9.9;
  pace.exposed_s = 0.01;
  pace.family = "train";
  pace.global_batch = 100;
  pace.gradient_bytes = 1000;
  w->says(job, pace);
  msg::Progress progress;
  progress.state = "running";
  progress.samples_left = samples_left;
  w->says(job, progress);
}

TEST_CASE("work left is counted as a plan's speeds are: in one node's time") {
  World w;
  w.holes("n[1-4]");
  w.running_trainer(7, 1, 4, {"n1"});
  auto const& trainer = *w.brain.roster().find(7);
  CHECK(work_left_s(trainer) == 0);  // nothing is known yet
  measures(&w, 7, 36000);
  CHECK(work_left_s(trainer) == Approx(3600).epsilon(0.05));
  auto const problem = make_problem(w.brain.plan_input(w.now));
  CHECK(problem.trainers[0].work_left == work_left_s(trainer));
}

}  // namespace
}  // namespace gleaner::daemon
