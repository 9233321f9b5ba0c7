// SPDX-License-Identifier: Apache-2.0
/// Jobs with --begin find their nodes free when their time comes.
#include "daemon/decisions/coming_uses.hh"

#include "test/unit/daemon/world.hh"

namespace gleaner::daemon {
namespace {

/// "n1@20 for 5, n2@20 for 5": seconds from now.
std::string foretold(World const& w, std::map<std::string, JobId> aside = {}) {
  Places places;
  for (auto const& hole : w.cluster.holes) {
    places[hole.node].hole = hole;
    places[hole.node].lent = hole.leased;
  }
  std::string text;
  for (auto const& [node, use] :
       coming_uses(w.cluster, places, aside, JobMemory::counted, w.now - 10,
                   w.now + 120))
    text += (text.empty() ? "" : ", ") + node + "@" +
            std::to_string(static_cast<int>(use.start_s - w.now)) + " for " +
            std::to_string(use.job);
  return text;
}

TEST_CASE("a job whose time comes takes the nodes Slurm would choose then") {
  World w;
  w.holes("n[1-4]");
  w.lease(101, "n1", 7, "nonce1");
  w.coming(5, 2, 20);
  CHECK(foretold(w) == "n2@20 for 5, n3@20 for 5");
  SECTION("after those that come before it") {
    w.coming(6, 2, 30);
    CHECK(foretold(w) == "n1@30 for 6, n2@20 for 5, n3@20 for 5, n4@30 for 6");
  }
  SECTION("not those that are kept for others") {
    CHECK(foretold(w, {{"n2", 4}, {"n3", 4}}) == "n1@20 for 5, n4@20 for 5");
  }
  SECTION("not those that Slurm has planned to use before the horizon") {
    w.hole("n2").end_s = w.now + 100;
    w.hole("n2").planned_job = 4;
    CHECK(foretold(w) == "n3@20 for 5, n4@20 for 5");
  }
  SECTION("as often as its array has tasks") {
    w.cluster.coming[0].tasks = 9;
    CHECK(foretold(w) == "n1@20 for 5, n2@20 for 5, n3@20 for 5, n4@20 for 5");
  }
}

TEST_CASE("whose time is far, or long past, takes none; nor who fits nowhere") {
  World w;
  w.holes("n[1-4]");
  SECTION("far") { w.coming(5, 2, 121); }
  SECTION("past, and Slurm would have started it") { w.coming(5, 2, -11); }
  SECTION("fits nowhere") { w.coming(5, 5, 20); }
  CHECK(foretold(w) == "");
}

TEST_CASE("nodes are back before the time of a job with --begin") {
  World w;
  w.holes("n[1-3]");
  w.running_trainer(7, 1, 3, {"n1", "n2", "n3"});
  w.coming(5, 2, 20);
  CHECK(w.look() == "");
  CHECK(w.later(17) == "");
  CHECK(w.brain.next_s(w.now) == Approx(w.now + 1));
  CHECK(w.later(1) == "back n[1-2] of 7 (planned_start, 1s)");
  CHECK(w.vacates(7, {"n1"}) == "");
  CHECK(w.vacates(7, {"n2"}) == "release n[1-2] of 7");
  for (JobId lease : {101, 102}) {
    w.says(7, msg::LeaseEnded{lease == 101 ? "n1" : "n2", lease, "released"});
    w.end_of_lease(lease);
  }
  CHECK(w.look() == "");
  SECTION("and are kept until Slurm has looked at it") {
    CHECK(w.later(5) == "");  // its time was three seconds ago
    w.holes("n3");
    w.cluster.coming.clear();
    CHECK(w.later(1) == "");
    w.holes("n[1-3]");  // it is over
    CHECK(w.later(60) == "offer n1->7; offer n2->7");
  }
  SECTION("and when Slurm could not start it, it is an arrival") {
    w.cluster.pending = std::exchange(w.cluster.coming, {});
    CHECK(w.later(5) == "");
    CHECK(w.recorded("arrival") == 1);
  }
  SECTION("and are lent again if Slurm does not come") {
    CHECK(w.later(11) == "");
    CHECK(w.later(2) == "offer n1->7; offer n2->7");
  }
}

TEST_CASE("a job on notice begins when all trainings have left its nodes") {
  World w;
  w.holes("n[1-3]");
  w.running_trainer(7, 1, 3, {"n1", "n2", "n3"});
  w.coming(5, 2, 2);
  w.cluster.coming[0].on_notice = true;
  CHECK(w.look() == "back n[1-2] of 7 (planned_start, 1s)");
  CHECK(w.vacates(7, {"n1"}) == "");
  CHECK(w.vacates(7, {"n2"}) == "begin 5; release n[1-2] of 7");
  CHECK(w.later(0.1) == "");
}

TEST_CASE(
    "it begins when its leases are over, if slurmctld can be woken then") {
  World w;
  w.brain.set_looks_at_queue(true);
  w.holes("n[1-4]");
  w.running_trainer(7, 1, 4, {"n1", "n2", "n3", "n4"});
  w.coming(5, 2, 2);
  w.cluster.coming[0].on_notice = true;
  CHECK(w.look() == "back n[1-2] of 7 (planned_start, 1s)");
  CHECK(w.vacates(7, {"n1", "n2"}) == "release n[1-2] of 7");
  w.end_of_lease(101);
  w.holes("n[2-4]");  // n1 completes
  CHECK(w.look() == "");
  w.end_of_lease(102);
  w.holes("n[3-4]");
  CHECK(w.look() == "");
  SECTION("and the nodes are idle") {
    w.holes("n[1-4]");
    CHECK(w.look() == "begin 5");
    CHECK(w.later(0.1) == "");
  }
  SECTION("or its time is over") {
    CHECK(w.brain.next_s(w.now) <= w.now + 2);
    CHECK(w.later(2) == "back n[3-4] of 7 (planned_start, 1s); begin 5");
  }
}

TEST_CASE("a job on notice begins when those who do not leave are ended") {
  World w;
  w.holes("n[1-3]");
  w.running_trainer(7, 1, 3, {"n1", "n2", "n3"});
  w.coming(5, 1, 2);
  w.cluster.coming[0].on_notice = true;
  CHECK(w.look() == "back n1 of 7 (planned_start, 1s)");
  CHECK(w.later(1) == "end 101; begin 5");
}

TEST_CASE("a job on notice begins at once if no training is in its way") {
  World w;
  w.holes("n[1-3]");
  w.running_trainer(7, 1, 2, {"n1", "n2"});
  SECTION("it needs none of the nodes") { w.coming(5, 1, 2); }
  SECTION("it fits nowhere") { w.coming(5, 4, 2); }
  w.cluster.coming[0].on_notice = true;
  CHECK(w.look() == "begin 5");
  CHECK(w.later(0.1) == "");
}

TEST_CASE("a user's own --begin is not touched") {
  World w;
  w.holes("n[1-3]");
  w.running_trainer(7, 1, 2, {"n1", "n2"});
  w.coming(5, 1, 2);
  CHECK(w.look() == "");
  CHECK(w.later(1) == "");
}

TEST_CASE("a node is not lent when a job with --begin is about to come") {
  World w;
  w.holes("n1");
  w.base_job(7, 1, 1);
  w.look();
  w.coming(5, 1, 4);  // hole_s_min is 5
  w.cluster.time_s = w.now;
  CHECK(w.look() == "");
  CHECK(w.registers(7) == "welcome 7");
  w.cluster.coming[0].eligible_s = w.now + 100;
  CHECK(w.look() == "offer n1->7");
}

}  // namespace
}  // namespace gleaner::daemon
