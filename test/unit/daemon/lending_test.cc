// SPDX-License-Identifier: Apache-2.0
/// When a node is lent, to whom, and when it is not.
#include <cmath>
#include <limits>

#include "test/unit/daemon/world.hh"

namespace gleaner::daemon {
namespace {

TEST_CASE("idle nodes are offered to a trainer as soon as it registers") {
  World w;
  w.holes("n[1-2]");
  w.base_job(7, 1, 4);
  CHECK(w.look() == "");
  CHECK(w.registers(7) == "welcome 7; offer n1->7; offer n2->7");
}

TEST_CASE("a new hole is offered at once") {
  World w;
  w.holes("n1");
  w.running_trainer(7, 1, 4, {"n1"});
  w.holes("n[1-2]");
  CHECK(w.look() == "offer n2->7");
}

TEST_CASE("a node is offered once, not again while the ticket is out") {
  World w;
  w.holes("n1");
  w.base_job(7, 1, 4);
  w.look();
  w.registers(7);
  CHECK(w.look() == "");
  CHECK(w.later(5) == "");
}

TEST_CASE("an offer that is not taken up is void; user and node rest a while") {
  World w;
  w.holes("n1");
  w.base_job(7, 1, 4);
  w.look();
  w.registers(7);
  CHECK(w.later(11) == "");
  CHECK(w.recorded("lease_refused") == 1);
  CHECK(w.later(1) == "");
  CHECK(w.later(1) == "offer n1->7");
}

TEST_CASE("a user without an association is recorded with the remedy") {
  World w;
  auto config = World::settings("on");
  config.lease_account = "gleaner";
  w.brain.configure(config);
  w.holes("n1");
  w.base_job(7, 1, 1, 1000);
  w.look();
  w.registers(7);
  w.says(7, msg::LeaseFailed{"n1", "srun: error: Invalid account or …"});
  CHECK(w.records.back().data.value("remedy", "") ==
        "sacctmgr add user $(id -un 1000) account=gleaner");
}

TEST_CASE("a refused user rests for longer each time, another is served") {
  World w;
  w.holes("n1");
  w.base_job(7, 1, 1, 1000);
  w.look();
  w.registers(7);
  CHECK(w.says(7, msg::LeaseFailed{"n1", "refused"}) == "");
  CHECK(w.later(1) == "");  // the node rests for 2 s
  CHECK(w.later(1) == "offer n1->7");
  CHECK(w.says(7, msg::LeaseFailed{"n1", "refused"}) == "");
  CHECK(w.later(2) == "");
  w.base_job(8, 1, 1, 1001);
  w.look();
  w.registers(8, {}, 1001);
  w.holes("n[1-2]");
  CHECK(w.look() == "offer n2->7");
}

TEST_CASE("a node that Slurm wants within hole_s_min is not lent") {
  World w;
  w.holes("n[1-2]");
  w.hole("n1").end_s = w.now + 4;
  w.base_job(7, 1, 4);
  w.look();
  CHECK(w.registers(7) == "welcome 7; offer n2->7");
}

TEST_CASE("the time limit covers the hole in whole minutes") {
  struct Row {
    std::optional<double> hole_s;
    int minutes;
  };
  auto row =
      GENERATE(Row{{}, 60}, Row{10, 1}, Row{60, 1}, Row{61, 2}, Row{7200, 60});
  Hole hole;
  if (row.hole_s) hole.end_s = 1000 + *row.hole_s;
  hole.planned_job = 5;
  CHECK(lease_minutes(World::settings("on"), hole, 1000) == row.minutes);
}

TEST_CASE("no time limit runs into a reservation: Slurm would refuse it") {
  struct Row {
    double hole_s;
    int minutes;
  };
  auto row = GENERATE(Row{59, 0}, Row{60, 1}, Row{119, 1}, Row{120, 2},
                      Row{7200, 60}, Row{-5, 0});
  Hole hole;
  hole.end_s = 1000 + row.hole_s;
  CHECK(lease_minutes(World::settings("on"), hole, 1000) == row.minutes);
}

TEST_CASE("a node that is reserved within a minute is not lent") {
  World w;
  w.holes("n[1-2]");
  w.hole("n1").end_s = w.now + 59;
  w.base_job(7, 1, 4);
  w.look();
  CHECK(w.registers(7) == "welcome 7; offer n2->7");
}

TEST_CASE("a lease is extended up to a reservation, and ends before it") {
  World w;
  w.holes("n1");
  w.running_trainer(7, 1, 4, {"n1"});
  w.cluster.leases[0].limit_s = w.now + 60;
  w.hole("n1").end_s = w.now + 290;
  CHECK(w.look() == "extend 101 to 4min");
  w.cluster.leases[0].limit_s = w.now + 240;
  CHECK(w.later(200) == "");
  CHECK(w.later(38.5) == "back n1 of 7 (time_limit, 1s)");
}

TEST_CASE("a lease whose hole goes on is extended before its limit") {
  World w;
  w.holes("n1");
  w.running_trainer(7, 1, 4, {"n1"});
  CHECK(w.later(3600 - 91) == "");
  CHECK(w.later(2) == "extend 101 to 119min");
  CHECK(w.later(1) == "");
  w.cluster.leases[0].limit_s += 3600;
  CHECK(w.later(30) == "");
}

TEST_CASE("a lease that cannot be extended is asked back before its limit") {
  World w;
  w.holes("n1");
  w.running_trainer(7, 1, 4, {"n1"});
  w.later(3600 - 1.5);
  CHECK(w.brain.leases().on_node("n1")->state == Lease::State::returning);
}

TEST_CASE("no more than leases_per_hour_max are lent") {
  World w;
  auto config = World::settings("on");
  config.leases_per_hour_max = 1;
  w.brain.configure(config);
  w.holes("n[1-2]");
  w.base_job(7, 1, 4);
  w.look();
  CHECK(w.registers(7) == "welcome 7; offer n1->7");
  CHECK(w.later(1) == "");
}

TEST_CASE("nothing is lent while Slurm is not set up for it, or silent") {
  World w;
  w.holes("n1");
  w.base_job(7, 1, 4);
  w.brain.set_lending(false);
  w.look();
  CHECK(w.registers(7) == "welcome 7");
  w.brain.set_lending(true);
  w.now += 60;  // the last snapshot is a minute old
  CHECK(w.decide() == "");
  CHECK(w.look() == "offer n1->7");
}

TEST_CASE("a second trainer gets its share; the first gives nodes up") {
  World w;
  w.holes("n[1-4]");
  w.running_trainer(7, 1, 4, {"n1", "n2", "n3", "n4"});
  w.base_job(8, 1, 4);
  w.look();
  CHECK(w.registers(8) == "welcome 8");
  CHECK(w.later(0.5) == "");  // plans may differ again in a moment
  CHECK(w.later(0.5) == "back n[3-4] of 7 (plan, 30s)");
  CHECK(w.look() == "");  // what is on its way counts as the second's
  w.says(7, msg::LeaseEnded{"n3", 103, "released"});
  w.holes("n[1-2,4]");  // while the lease completes n3 is no hole
  CHECK(w.look() == "");
  w.holes("n[1-4]");
  w.end_of_lease(103);
  CHECK(w.look() == "offer n3->8");
  CHECK(w.later(1) == "");
}

/// So many steps of 100 samples, each of one second, of which members compute
/// all or wait for half.
msg::Pace pace(std::uint64_t generation, int nodes, std::uint64_t steps) {
  msg::Pace message;
  message.generation = generation;
  message.nodes = message.members = nodes;
  message.steps = steps;
  message.step_s = 1;
  message.compute_s = message.compute_max_s = nodes == 1 ? 1 : 0.5;
  message.exposed_s = nodes == 1 ? 0 : 0.5;
  message.family = "train";
  message.global_batch = 100;
  return message;
}

/// A trainer that is as fast on one node as on two has one of two nodes.
World flat(std::string const& scaling) {
  World w;
  auto config = World::settings("on");
  config.scaling = parse_choice<Config::Scaling>(scaling).value();
  w.brain.configure(config);
  w.holes("n[1-2]");
  w.look();  // so many nodes the cluster has
  w.holes("n1");
  w.running_trainer(7, 1, 2, {"n1"});
  w.says(7, pace(1, 1, 200));
  w.says(7, pace(2, 2, 200));
  w.says(7, pace(3, 1, 200));
  w.holes("n[1-2]");
  return w;
}

TEST_CASE("a trainer that gains nothing from a node does not get it") {
  CHECK(flat("measured").look() == "");
}

TEST_CASE("unless its scaling is assumed") {
  CHECK(flat("assumed").look() == "offer n2->7");
}

TEST_CASE("a pace that cannot be is not believed") {
  World w;
  w.holes("n[1-2]");
  w.running_trainer(7, 1, 2, {"n1"});
  auto const refused = [&](auto change) {
    auto message = pace(1, 1, 200);
    change(message);
    w.says(7, message);
    return !w.brain.roster().find(7)->scaling.is_measured();
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(refused([](msg::Pace& p) { p.step_s = 0; }));
  CHECK(refused([](msg::Pace& p) { p.step_s = nan; }));
  CHECK(refused([](msg::Pace& p) { p.exposed_s = -1; }));
  CHECK(refused([](msg::Pace& p) { p.compute_max_s = INFINITY; }));
  CHECK(refused([](msg::Pace& p) { p.nodes = 0; }));
  CHECK(refused([](msg::Pace& p) { p.nodes = p.members = 1000; }));
  CHECK(refused([](msg::Pace& p) { p.members = 0; }));
  CHECK(refused([](msg::Pace& p) { p.global_batch = 0; }));
  CHECK_FALSE(refused([](msg::Pace&) {}));
}

TEST_CASE("what a training taught serves the next one like it") {
  World w;
  w.holes("n[1-2]");
  w.running_trainer(7, 1, 2, {"n1"});
  w.says(7, pace(1, 1, 200));
  w.says(7, pace(2, 2, 200));
  w.end_of_base_job(7);
  w.later(10);
  w.base_job(8, 1, 2);
  w.look();
  w.registers(8);
  w.says(8, pace(1, 1, 200));
  auto const& scaling = w.brain.roster().find(8)->scaling;
  CHECK(scaling.trainings_before() == 1);
  // It knows two nodes, although it never had them.
  CHECK(scaling.told().mean[2] == Approx(1).epsilon(0.05));
  // Another user's says nothing of this one's.
  w.base_job(9, 1, 2, 2000);
  w.look();
  w.registers(9, {}, 2000);
  w.brain.on_coordinator(9, 2000, pace(1, 1, 200), w.now);
  CHECK(w.brain.roster().find(9)->scaling.trainings_before() == 0);
}

TEST_CASE("with observe nothing is lent, and what no one leads is ended") {
  World w("observe");
  w.holes("n[1-2]");
  w.base_job(7, 1, 4);
  w.look();
  CHECK(w.registers(7) == "welcome 7");
  w.lease(101, "n1", 99, "unknown");  // its trainer is gone
  w.pending(5, 2);
  CHECK(w.look() == "end 101");
  w.end_of_lease(101);
  CHECK(w.later(60) == "");
  CHECK(w.recorded("observed") > 0);
}

TEST_CASE("with problem_log each problem is saved with its plan") {
  World w;
  w.holes("n[1-2]");
  w.base_job(7, 1, 1);
  w.look();
  w.registers(7);
  CHECK(w.saved.empty());
  auto config = World::settings("on");
  config.problem_log = "/somewhere";
  w.brain.configure(config);
  w.look();
  REQUIRE(w.saved.size() == 1);
  CHECK(w.saved[0].policy == config.policy);
  CHECK(w.saved[0].problem.nodes.size() == 2);
  CHECK(w.saved[0].problem.trainers[0].id == "7");
  CHECK(w.saved[0].plan == alloc::Plan{{0}});
}

TEST_CASE("the allocator is told how long each node has been a hole") {
  World w;
  auto config = World::settings("on");
  config.problem_log = "/somewhere";
  w.brain.configure(config);
  w.holes("n1");
  w.running_trainer(7, 1, 2, {"n1"});
  w.now += 30;
  w.holes("n[1-2]");
  w.look();
  w.later(5);
  auto const& nodes = w.saved.back().problem.nodes;
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0].idle_s == 35);
  CHECK(nodes[1].idle_s == 5);
}

TEST_CASE("with mode observe problems are saved too") {
  World w("observe");
  auto config = World::settings("observe");
  config.problem_log = "/somewhere";
  w.brain.configure(config);
  w.holes("n1");
  w.look();
  CHECK(w.saved.size() == 1);
}

}  // namespace
}  // namespace gleaner::daemon
