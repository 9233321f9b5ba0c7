// SPDX-License-Identifier: Apache-2.0
/// A node that Slurm took itself is not lent again while that would keep the
/// job from starting for which it did: Slurm does not preempt for it again for
/// 40 s (KillWait + MessageTimeout).
#include "daemon/decisions/status.hh"
#include "test/unit/daemon/world.hh"

namespace gleaner::daemon {
namespace {

/// Slurm preempts the lease on n1 of a trainer that has n1 and n2, for job 5,
/// which gleanerd had not seen before; job 5 does not start at once.
World preempted(int nodes) {
  World w;
  w.holes("n[1-2]");
  w.running_trainer(7, 1, 2, {"n1", "n2"});
  w.pending(5, nodes);
  w.preempts(101);
  w.look();
  w.says(7, msg::LeaseEnded{"n1", 101, "lost"});
  return w;
}

std::string kept_for(World& w, std::string const& node) {
  for (auto const& hole : make_status(w.brain, w.now).holes)
    if (hole.node == node) return hole.kept_for;
  return "no hole";
}

TEST_CASE("a reclaimed node is not lent while the job waits for which it was") {
  auto w = preempted(1);
  CHECK(w.recorded("reclaimed") == 1);
  CHECK(kept_for(w, "n1") == "job 5");
  CHECK(w.later(11) == "");  // arrival_hold_s is over
  CHECK(kept_for(w, "n1") == "job 5");
  SECTION("until Slurm could preempt again") {
    CHECK(w.later(28) == "");
    CHECK(w.later(1) == "offer n1->7");
    CHECK(w.later(1) == "");
    CHECK(kept_for(w, "n1") == "");
  }
  SECTION("until the job has started elsewhere, or is gone") {
    w.cluster.pending.clear();
    CHECK(w.look() == "offer n1->7");
  }
  SECTION("until the job has used it") {
    w.cluster.pending.clear();
    w.holes("n2");
    CHECK(w.look() == "");
    w.holes("n[1-2]");
    CHECK(w.later(5) == "offer n1->7");
  }
}

TEST_CASE("the other nodes that the job needs are held too") {
  auto w = preempted(2);
  w.vacates(7, {"n2"});
  w.says(7, msg::LeaseEnded{"n2", 102, "released"});
  w.end_of_lease(102);
  CHECK(w.later(11) == "");
  CHECK(kept_for(w, "n2") == "job 5");
  CHECK(w.later(29) == "offer n1->7; offer n2->7");
}

TEST_CASE("a node taken for a job that nobody knows is held while jobs wait") {
  World w;
  w.holes("n[1-2]");
  w.running_trainer(7, 1, 2, {"n1", "n2"});
  w.pending(5, 3);  // not a job that gleanerd would have made room for
  w.preempts(101);
  w.look();
  w.says(7, msg::LeaseEnded{"n1", 101, "lost"});
  CHECK(kept_for(w, "n1") == "reclaimed");
  CHECK(w.later(20) == "");
  SECTION("a job uses it for a while") {
    w.holes("n2");
    w.look();
    w.later(2);
    w.holes("n[1-2]");
    CHECK(w.look() == "offer n1->7");
  }
  SECTION("it is no hole for a moment, as the lease completes") {
    w.holes("n2");
    w.look();
    w.holes("n[1-2]");
    CHECK(w.later(0.5) == "");
  }
  SECTION("nobody waits any more") {
    w.cluster.pending.clear();
    CHECK(w.look() == "offer n1->7");
  }
}

TEST_CASE("a lease that was preempted long ago holds nothing") {
  World w;
  w.holes("n1");
  w.base_job(7, 1, 1);
  w.pending(5, 3);
  w.cluster.preempted.push_back({99, "n1", w.now - 100});
  w.look();
  CHECK(w.registers(7) == "welcome 7; offer n1->7");
}

TEST_CASE("a lease that ended otherwise holds nothing") {
  World w;
  w.holes("n1");
  w.running_trainer(7, 1, 1, {"n1"});
  w.pending(5, 3);
  w.look();
  w.says(7, msg::LeaseEnded{"n1", 101, "lost"});
  w.end_of_lease(101);
  CHECK(w.look() == "offer n1->7");
}

}  // namespace
}  // namespace gleaner::daemon
