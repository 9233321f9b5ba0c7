// SPDX-License-Identifier: Apache-2.0
/// When Slurm gets nodes back: on arrivals, before planned starts, in any case.
#include "test/unit/daemon/world.hh"

namespace gleaner::daemon {
namespace {

TEST_CASE("a rigid job that arrives gets its nodes back") {
  World w;
  w.holes("n[1-4]");
  w.running_trainer(7, 1, 4, {"n1", "n2", "n3", "n4"});
  w.pending(5, 2);
  CHECK(w.look() == "back n[1-2] of 7 (arrival, 1s)");
  CHECK(w.recorded("arrival") == 1);
}

TEST_CASE("what is not given back by the deadline is ended") {
  World w;
  w.holes("n1");
  w.running_trainer(7, 1, 4, {"n1"});
  w.pending(5, 1);
  CHECK(w.look() == "back n1 of 7 (arrival, 1s)");
  CHECK(w.later(0.5) == "");
  CHECK(w.brain.next_s(w.now) == Approx(w.now + 0.5));
  CHECK(w.later(0.5) == "end 101");
  CHECK(w.later(1) == "");
  CHECK(w.later(5) == "end 101");  // still there: once more
}

TEST_CASE("a job that idle nodes can serve takes nothing from a trainer") {
  World w;
  w.holes("n1");
  w.running_trainer(7, 1, 1, {"n1"});
  w.holes("n[1-2]");
  w.pending(5, 1);
  CHECK(w.look() == "");
}

TEST_CASE("nodes of lower Weight are given back although worse are idle") {
  World w;
  w.holes("n1");
  w.running_trainer(7, 1, 1, {"n1"});
  w.holes("n[1-2]");
  w.hole("n2").weight = 100;
  w.pending(5, 1);
  CHECK(w.look() == "offer n2->7; back n1 of 7 (arrival, 1s)");
}

TEST_CASE("the oldest lease goes first: Slurm would preempt it first") {
  World w;
  w.holes("n[1-3]");
  w.running_trainer(7, 1, 4, {"n2", "n3", "n1"});
  w.pending(5, 1);
  CHECK(w.look() == "back n2 of 7 (arrival, 1s)");
}

TEST_CASE("a job that cannot start even with all leases returned waits") {
  World w;
  w.holes("n[1-2]");
  w.running_trainer(7, 1, 4, {"n1", "n2"});
  w.pending(5, 3);
  CHECK(w.look() == "");
}

TEST_CASE("a job gets back only nodes that it can use") {
  World w;
  w.holes("n[1-3]");
  w.running_trainer(7, 1, 4, {"n1", "n2", "n3"});
  SECTION("it insists on one") { w.pending(5, 1, "n3"); }
  SECTION("it will not have the others") {
    w.pending(5, 1);
    w.cluster.pending[0].excluded = *NodeSet::parse("n[1-2]");
  }
  SECTION("its partition has only that") {
    w.pending(5, 1);
    w.cluster.pending[0].partition = "other";
    w.other_kind("n3").partitions = {"lease", "main", "other"};
  }
  CHECK(w.look() == "back n3 of 7 (arrival, 1s)");
}

TEST_CASE("nodes kept for a job are not lent again while it waits") {
  World w;
  w.holes("n1");
  w.running_trainer(7, 1, 4, {"n1"});
  w.pending(5, 1);
  w.look();
  w.says(7, msg::LeaseEnded{"n1", 101, "released"});
  w.end_of_lease(101);
  CHECK(w.look() == "");
  CHECK(w.later(9) == "");
  SECTION("until it has started") {
    w.cluster.pending.clear();
    w.holes("");
    CHECK(w.look() == "");
    w.holes("n1");
    CHECK(w.look() == "offer n1->7");
  }
  SECTION("until arrival_hold_s is over") {
    CHECK(w.later(1) == "offer n1->7");
    CHECK(w.later(1) == "");  // and it is not asked back for the same job
  }
  SECTION("until backfill plans it for later") {
    w.cluster.backfill_s = w.now;
    w.cluster.pending[0].start_s = w.now + 100;
    CHECK(w.look() == "offer n1->7");
  }
}

TEST_CASE("unless it is said, nodes are kept until backfill has come") {
  World w;
  auto config = World::settings("on");
  config.arrival_hold_s = 0;
  w.brain.configure(config);
  w.brain.set_bf_interval(60);
  w.holes("n1");
  w.running_trainer(7, 1, 4, {"n1"});
  w.pending(5, 1);
  w.look();
  w.says(7, msg::LeaseEnded{"n1", 101, "released"});
  w.end_of_lease(101);
  CHECK(w.look() == "");
  CHECK(w.later(69) == "");
  CHECK(w.later(1) == "offer n1->7");
}

TEST_CASE("a node that jobs use in part counts, for what is left of it") {
  World w;
  w.holes("n1");
  w.running_trainer(7, 1, 4, {"n1"});
  w.cluster.shared = {{"n2", 0, {2, 16000, {}}, 1}};
  SECTION("it serves a small job alone") {
    w.pending(5, 1);
    w.cluster.pending[0].each.cpus = 2;
    CHECK(w.look() == "");
  }
  SECTION("it serves a larger job together with a leased node") {
    w.pending(5, 2);
    w.cluster.pending[0].each.cpus = 2;
    CHECK(w.look() == "back n1 of 7 (arrival, 1s)");
  }
  SECTION("too few CPUs are left") {
    w.pending(5, 1);
    w.cluster.pending[0].each.cpus = 3;
    CHECK(w.look() == "back n1 of 7 (arrival, 1s)");
  }
  SECTION("the job wants whole nodes") {
    w.pending(5, 1);
    w.cluster.pending[0].whole = true;
    CHECK(w.look() == "back n1 of 7 (arrival, 1s)");
  }
}

TEST_CASE("a job gets back the lease on a node that can serve it") {
  World w;
  w.holes("n[1-3]");
  auto& kind = w.other_kind("n2");
  kind.total = {8, 64000, {{"gpu:b", 4}}};
  kind.features = {"fast"};
  w.running_trainer(7, 1, 4, {"n1", "n2", "n3"});
  w.pending(5, 1);
  auto& job = w.cluster.pending[0];
  SECTION("its GPUs") { job.each.gres = {{"gpu:b", 1}}; }
  SECTION("its CPUs") { job.each.cpus = 6; }
  SECTION("its memory") { job.each.memory_mb = 20000; }
  SECTION("its features") { job.constraint = "fast"; }
  SECTION("its reservation") {
    job.reservation = "course";
    w.cluster.reservations["course"] = {"n2"};
  }
  CHECK(w.look() == "back n2 of 7 (arrival, 1s)");
}

TEST_CASE("a job that no node can serve gets none back") {
  World w;
  w.holes("n1");
  w.running_trainer(7, 1, 4, {"n1"});
  w.pending(5, 1);
  w.cluster.pending[0].each.gres = {{"gpu:b", 1}};
  CHECK(w.look() == "");
}

TEST_CASE("jobs that fit on what one node leaves do not get another back") {
  World w;
  w.holes("n[1-2]");
  w.running_trainer(7, 1, 4, {"n1", "n2"});
  for (JobId job : {5, 6}) {
    w.pending(job, 1);
    w.cluster.pending.back().each = {1, 1000, {{"gpu", 1}}};
  }
  CHECK(w.look() == "back n1 of 7 (arrival, 1s)");
}

TEST_CASE("a free GPU elsewhere saves a lease; a used one does not") {
  World w;
  w.holes("n1");
  w.running_trainer(7, 1, 4, {"n1"});
  w.pending(5, 1);
  w.cluster.pending[0].each = {1, 1000, {{"gpu", 1}}};
  SECTION("free") {
    w.cluster.shared = {{"n2", 0, {1, 4000, {{"gpu", 1}}}, 1}};
    CHECK(w.look() == "");
  }
  SECTION("used") {
    w.cluster.shared = {{"n2", 0, {1, 4000, {}}, 1}};
    CHECK(w.look() == "back n1 of 7 (arrival, 1s)");
  }
  SECTION("with too little memory beside it") {
    w.cluster.shared = {{"n2", 0, {1, 400, {{"gpu", 1}}}, 1}};
    CHECK(w.look() == "back n1 of 7 (arrival, 1s)");
  }
}

TEST_CASE("GPUs counted over all nodes take as many nodes as that needs") {
  World w;
  w.holes("n[1-3]");
  w.running_trainer(7, 1, 4, {"n1", "n2", "n3"});
  w.pending(5, 1);
  w.cluster.pending[0].each = {1, 0, {}};
  w.cluster.pending[0].gres = {{"gpu", 6}};
  CHECK(w.look() == "back n[1-2] of 7 (arrival, 1s)");
}

TEST_CASE("tasks of an array arrive one by one") {
  World w;
  w.holes("n1");
  w.running_trainer(7, 1, 4, {"n1"});
  w.pending(5, 1);
  w.cluster.pending[0].tasks = 3;
  CHECK(w.look() == "back n1 of 7 (arrival, 1s)");
  CHECK(w.recorded("arrival") == 1);
  w.says(7, msg::LeaseEnded{"n1", 101, "released"});
  w.end_of_lease(101);
  w.cluster.pending[0].tasks = 2;  // the first runs there
  w.holes("");
  w.later(1);
  w.holes("n1");  // it is over
  CHECK(w.later(20) == "");
  CHECK(w.recorded("arrival") == 2);
}

TEST_CASE("nodes are kept while leases end, although the job fits nowhere") {
  World w;
  w.holes("n[1-3]");
  w.running_trainer(7, 1, 4, {"n1", "n2", "n3"});
  w.pending(5, 3);
  CHECK(w.look() == "back n[1-3] of 7 (arrival, 1s)");
  w.says(7, msg::LeaseEnded{"n2", 102, "released"});
  w.end_of_lease(102);
  w.holes("n[1,3]");  // the job is over, its node not idle yet
  CHECK(w.later(0.1) == "");
  w.says(7, msg::LeaseEnded{"n1", 101, "released"});
  w.end_of_lease(101);
  CHECK(w.later(0.1) == "");
  w.holes("n[1-3]");
  CHECK(w.later(0.1) == "");
  CHECK(w.recorded("arrival") == 1);
}

TEST_CASE("two jobs that arrive together get nodes for both") {
  World w;
  w.holes("n[1-4]");
  w.running_trainer(7, 1, 4, {"n1", "n2", "n3", "n4"});
  w.pending(5, 2);
  w.pending(6, 1);
  CHECK(w.look() == "back n[1-3] of 7 (arrival, 1s)");
}

TEST_CASE("a job that becomes able to start later is an arrival then") {
  World w;
  w.holes("n1");
  w.running_trainer(7, 1, 1, {"n1"});
  w.pending(5, 2);
  CHECK(w.look() == "");
  w.holes("n[1-2]");
  CHECK(w.look() == "back n1 of 7 (arrival, 1s)");
}

TEST_CASE("nodes are back before their planned use") {
  World w;
  w.holes("n[1-2]");
  w.running_trainer(7, 1, 4, {"n1", "n2"});
  w.hole("n2").end_s = w.now + 100;
  CHECK(w.look() == "");
  CHECK(w.later(97) == "");
  CHECK(w.brain.next_s(w.now) == Approx(w.now + 1));
  CHECK(w.later(1) == "back n2 of 7 (planned_start, 1s)");
  w.says(7, msg::LeaseEnded{"n2", 102, "released"});
  w.end_of_lease(102);
  CHECK(w.look() == "");
}

TEST_CASE("a plan that moves near takes the node back at once") {
  World w;
  w.holes("n1");
  w.running_trainer(7, 1, 4, {"n1"});
  w.hole("n1").end_s = w.now - 1;
  CHECK(w.look() == "back n1 of 7 (planned_start, 1s)");
}

TEST_CASE("a leased node that is drained is given back in peace") {
  World w;
  w.holes("n[1-2]");
  w.running_trainer(7, 1, 4, {"n1", "n2"});
  w.holes("n1");
  CHECK(w.look() == "");
  CHECK(w.later(29) == "");
  CHECK(w.later(2) == "back n2 of 7 (drained, 30s)");
}

TEST_CASE("a slurmctld that waits for its nodes to register drains nothing") {
  World w;
  w.holes("n[1-2]");
  w.running_trainer(7, 1, 4, {"n1", "n2"});
  w.holes("");
  CHECK(w.look() == "");
  CHECK(w.later(10) == "");
  w.holes("n[1-2]");
  CHECK(w.look() == "");
  CHECK(w.later(60) == "");
}

TEST_CASE("a node given back is free again only when Slurm says so") {
  World w;
  w.holes("n1");
  w.running_trainer(7, 1, 4, {"n1"});
  w.says(7, msg::LeaseEnded{"n1", 101, "lost"});
  CHECK(w.look() == "");
  CHECK(w.later(2) == "end 101");  // it should have been over by now
  w.end_of_lease(101);
  CHECK(w.look() == "offer n1->7");
}

}  // namespace
}  // namespace gleaner::daemon
