// SPDX-License-Identifier: Apache-2.0
/// What `gleaner status` says of a training that could use more nodes.
#include "daemon/why_not_more.hh"

#include "daemon/status.hh"
#include "test/unit/daemon/world.hh"

namespace gleaner {
namespace {

/// A training of 2 to 4 nodes that has n[1-2], and four nodes in all.
struct Case {
  char const* why;
  void (*change)(World& w);
};

void configure(World& w, void (*change)(Config*)) {
  auto config = World::settings("on");
  change(&config);
  w.brain.configure(config);
}

void make_busy(World& w) { w.holes("n[1-2]"); }

std::string why_of(World& w, JobId job) {
  for (auto const& trainer : make_status(w.brain, w.now).trainers)
    if (trainer.job == job) return trainer.why;
  return "no such training";
}

TEST_CASE("the first thing in the way of another node is named") {
  Case const cases[] = {
      {"no idle node", make_busy},
      {"at its maximum",
       [](World& w) {
         w.cluster.trainers[0].nodes_max = 2;
         w.look();
       }},
      {"its coordinator is not connected",
       [](World& w) { w.brain.on_link_lost(7, w.now); }},
      {"nothing is lent (mode observe)", [](World& w) { w.order("observe"); }},
      {"Slurm is not set up for leases [gleaner doctor]",
       [](World& w) { w.brain.set_lending(false); }},
      {"the cluster has not been seen for a while",
       [](World& w) { w.now += 16; }},
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
       [](World& w) {
         w.pending(5, 2, "n[3-4]");
         w.look();
       }},
      {"holes too short (the longest: 4 s)",
       [](World& w) {
         w.hole("n3").end_s = w.now + 2;
         w.hole("n4").end_s = w.now + 4.5;
         w.look();
       }},
      {"no idle node fits: n4 lacks gpu:4 (has none)",
       [](World& w) {
         w.other_kind("n[3-4]").total.gres = {};
         w.look();
       }},
      {"others gain more",
       [](World& w) {
         w.base_job(8, 1, 2, 1001);
         w.look();
         w.brain.on_coordinator(8, 1001, msg::Register{8, {}}, w.now);
         w.decide();
         w.takes(8, "n3", 201);
         w.takes(8, "n4", 202);
       }},
  };
  for (auto const& [why, change] : cases) {
    CAPTURE(why);
    World w;
    w.holes("n[1-2]");
    w.running_trainer(7, 2, 4, {"n1", "n2"});
    // The other nodes become idle, but no plan has been made since.
    w.holes("n[1-4]");
    change(w);
    CHECK(why_of(w, 7) == why);
  }
}

TEST_CASE("too few idle nodes to start with are counted") {
  World w;
  w.holes("n[1-2]");
  w.base_job(7, 3, 4);
  w.look();
  w.brain.on_coordinator(7, 1000, msg::Register{7, {}}, w.now);
  w.holes("n[1-2]");
  w.look();
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
  w.now += 1.5;  // the user may try again, the node not yet
  CHECK(why_of(w, 7) == "Slurm refused the idle nodes that fit a moment ago");
}

}  // namespace
}  // namespace gleaner
