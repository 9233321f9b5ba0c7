// SPDX-License-Identifier: Apache-2.0
/// What `gleaner status` says of a training that could use more nodes.
#include "daemon/decisions/why_not_more.hh"

#include "daemon/decisions/status.hh"
#include "test/unit/daemon/world.hh"

namespace gleaner::daemon {
namespace {

/// A training of 2 to 4 nodes has n[1-2]; n[3-4] become idle after `change`.
struct Case {
  char const* why;
  void (*change)(World& w);
};

void configure(World& w, void (*change)(Config*)) {
  auto config = World::settings("on");
  change(&config);
  w.brain.configure(config);
}

std::string why_of(World& w, JobId job) {
  for (auto const& trainer : make_status(w.brain, w.now).trainers)
    if (trainer.job == job) return trainer.why;
  return "no such training";
}

TEST_CASE("the first thing in the way of another node is named") {
  Case const cases[] = {
      {"no idle node", [](World& w) { w.holes("n[1-2]"); }},
      {"at its maximum", [](World& w) { w.cluster.trainers[0].nodes_max = 2; }},
      {"no other node can ever serve it",
       [](World& w) {
         w.cluster.trainers[0].lease_template = "--nodelist=n[1-2]";
       }},
      {"its coordinator is not connected",
       [](World& w) { w.brain.on_link_lost(7, w.now); }},
      {"nothing is lent (mode observe)", [](World& w) { w.order("observe"); }},
      {"Slurm is not set up for leases [gleaner doctor]",
       [](World& w) { w.brain.set_lending(false); }},
      {"leases_per_hour_max is reached",
       [](World& w) {
         configure(w, [](Config* c) { c->leases_per_hour_max = 2; });
       }},
      {"leases_max (2) is reached",
       [](World& w) { configure(w, [](Config* c) { c->leases_max = 2; }); }},
      {"leases_per_user_max (2) is reached",
       [](World& w) {
         configure(w, [](Config* c) { c->leases_per_user_max = 2; });
       }},
      {"idle nodes are drained", [](World& w) { w.order("drain", "n[3-4]"); }},
      {"idle nodes are kept for waiting jobs",
       [](World& w) { w.pending(5, 2, "n[3-4]"); }},
      {"holes too short (the longest: 4 s)",
       [](World& w) {
         w.hole("n3").end_s = w.now + 2;
         w.hole("n4").end_s = w.now + 4.5;
       }},
      {"others gain more",
       [](World& w) {
         w.base_job(8, 1, 2, 1001);
         w.lease(201, "n3", 8, "other1", 1001);
         w.lease(202, "n4", 8, "other2", 1001);
         w.look();
         w.registers(8, {{"n3", 201}, {"n4", 202}}, 1001);
       }},
  };
  for (auto const& [why, change] : cases) {
    CAPTURE(why);
    World w;
    w.holes("n[1-4]");  // all that there are
    w.holes("n[1-2]");
    w.running_trainer(7, 2, 4, {"n1", "n2"});
    w.holes("n[1-4]");
    change(w);
    w.look();
    CHECK(why_of(w, 7) == why);
  }
}

TEST_CASE("what idle nodes lack is named") {
  World w;
  w.holes("n[1-3]");
  w.other_kind("n4").total.gres = {};
  w.base_job(7, 1, 4);
  w.holes("n4");
  w.look();
  w.registers(7);
  CHECK(why_of(w, 7) == "no idle node fits: n4 lacks gpu:4 (has none)");
}

TEST_CASE("without a look at the cluster nothing is lent") {
  World w;
  w.holes("n[1-2]");
  w.holes("n1");
  w.running_trainer(7, 1, 2, {"n1"});
  w.now += 16;
  CHECK(why_of(w, 7) == "the cluster has not been seen for a while");
}

TEST_CASE("too few idle nodes to start with are counted") {
  World w;
  w.holes("n[1-4]");  // all that there are
  w.holes("n[1-2]");
  w.base_job(7, 3, 4);
  w.look();
  w.registers(7);
  CHECK(why_of(w, 7) == "needs 3 nodes to start, 2 to be had");
}

TEST_CASE("a node that Slurm refused a moment ago is not offered again yet") {
  World w;
  w.holes("n1");
  w.base_job(7, 1, 4);
  w.look();
  w.registers(7);
  w.says(7, msg::LeaseFailed{"n1", "busy"});
  CHECK(why_of(w, 7) == "Slurm refused its user a lease a moment ago");
  CHECK(w.later(1.5) == "");  // the user may try again, the node not yet
  CHECK(why_of(w, 7) == "Slurm refused the idle nodes that fit a moment ago");
}

}  // namespace
}  // namespace gleaner::daemon
