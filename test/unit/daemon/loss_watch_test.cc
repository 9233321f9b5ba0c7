// SPDX-License-Identifier: Apache-2.0
/// Which nodes that a training had to leave count as losses in plans?
#include "alloc/allocator.hh"
#include "test/unit/daemon/world.hh"

namespace gleaner::daemon {
namespace {

/// How many losses the rate stands for, in the few seconds of these tests.
long losses(World const& w) {
  double const rate = w.brain.plan_input(w.now).losses_per_node_s;
  return std::lround(10 * rate / alloc::losses_per_node_s_default) - 10;
}

World three_nodes() {
  World w;
  w.holes("n[1-3]");
  w.running_trainer(7, 1, 4, {"n1", "n2", "n3"});
  return w;
}

TEST_CASE("nodes that an arrival takes at once are one loss of the training") {
  auto w = three_nodes();
  CHECK(losses(w) == 0);
  w.pending(5, 2);
  CHECK(w.look() == "back n[1-2] of 7 (arrival, 1s)");
  w.look();
  CHECK(losses(w) == 1);
  w.vacates(7, {"n1", "n2"});
  w.later(0.1);
  CHECK(losses(w) == 1);
}

TEST_CASE("a lease that Slurm ended is a loss") {
  auto w = three_nodes();
  w.end_of_lease(101);
  w.look();
  CHECK(losses(w) == 1);
}

TEST_CASE("a node that the training leaves by itself is no loss") {
  auto w = three_nodes();
  w.says(7, msg::LeaseEnded{"n1", 101, "finished"});
  w.end_of_lease(101);
  w.later(1);
  CHECK(losses(w) == 0);
}

TEST_CASE("a node that an administrator drains is no loss") {
  auto w = three_nodes();
  CHECK(w.order("drain", "n1") == "back n1 of 7 (drain, 1s)");
  w.vacates(7, {"n1"});
  w.end_of_lease(101);
  w.later(1);
  CHECK(losses(w) == 0);
}

TEST_CASE("the end of a training is no loss") {
  auto w = three_nodes();
  w.end_of_base_job(7);
  for (JobId const lease : {101, 102, 103}) w.end_of_lease(lease);
  w.later(1);
  CHECK(losses(w) == 0);
}

TEST_CASE("without losses the rate falls as nodes are lent") {
  auto w = three_nodes();
  auto const before = w.brain.plan_input(w.now).losses_per_node_s;
  for (int i = 0; i < 60; ++i) w.later(60);
  CHECK(w.brain.plan_input(w.now).losses_per_node_s < 0.9 * before);
}

}  // namespace
}  // namespace gleaner::daemon
