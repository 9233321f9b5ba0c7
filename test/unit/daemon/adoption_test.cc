// SPDX-License-Identifier: Apache-2.0
/// Restarts, orphans and registrations: what survives and what is ended.
#include "daemon/decisions/status.hh"
#include "test/unit/daemon/world.hh"

namespace gleaner::daemon {
namespace {

/// A gleanerd that has just started on a cluster where trainer 7 holds n1, n2.
World restarted() {
  World w;
  w.holes("n[1-2]");
  w.base_job(7, 1, 4);
  w.lease(101, "n1", 7, "aa");
  w.lease(102, "n2", 7, "bb");
  return w;
}

TEST_CASE("leases found at start are adopted; nothing happens to them") {
  auto w = restarted();
  CHECK(w.look() == "");
  CHECK(w.recorded("lease_held") == 2);
  CHECK(w.registers(7, {{"n1", 101}, {"n2", 102}}) == "welcome 7");
  CHECK(w.later(60) == "");
}

TEST_CASE(
    "a coordinator that was there before the first snapshot is the same") {
  auto w = restarted();
  CHECK(w.registers(7, {{"n1", 101}, {"n2", 102}}) == "");
  CHECK(w.look() == "welcome 7");
  CHECK(w.later(60) == "");
}

TEST_CASE("after a start nothing is lent until all have come back, or 3 s") {
  auto w = restarted();
  w.holes("n[1-3]");
  w.base_job(8, 1, 4);
  w.lease(103, "n9", 8, "cc");
  w.look();
  CHECK(w.registers(7, {{"n1", 101}, {"n2", 102}}) == "welcome 7");
  SECTION("all are there") {
    CHECK(w.registers(8, {{"n9", 103}}) == "welcome 8; offer n3->8");
  }
  SECTION("one does not come") { CHECK(w.later(3) == "offer n3->7"); }
}

TEST_CASE("an adopted lease on which no agent runs is ended") {
  auto w = restarted();
  w.look();
  w.registers(7, {{"n1", 101}});
  CHECK(w.later(14) == "");
  CHECK(w.later(1) == "end 102");
}

TEST_CASE("adopted leases whose coordinator does not come are ended") {
  auto w = restarted();
  w.look();
  CHECK(w.later(14) == "");
  CHECK(w.later(1) == "end 101; end 102");
}

TEST_CASE("a coordinator may be away for agent_wait_s") {
  World w;
  w.holes("n1");
  w.running_trainer(7, 1, 4, {"n1"});
  CHECK(w.loses_link(7) == "");
  CHECK(w.later(14) == "");
  SECTION("it comes back in time") {
    CHECK(w.registers(7, {{"n1", 101}}) == "welcome 7");
    CHECK(w.later(60) == "");
  }
  SECTION("it does not") { CHECK(w.later(1) == "end 101"); }
}

TEST_CASE("the end of the training job ends all its leases at once") {
  World w;
  w.holes("n[1-2]");
  w.running_trainer(7, 1, 4, {"n1", "n2"});
  w.end_of_base_job(7);
  CHECK(w.look() == "close 7; end 101; end 102");
  CHECK(w.recorded("trainer_gone") == 1);
}

TEST_CASE("a training whose job completes may leave its nodes by itself") {
  World w;
  w.holes("n[1-4]");
  w.running_trainer(7, 1, 2, {"n1", "n2"});
  w.cluster.trainers[0].running = false;
  CHECK(w.look() == "");  // scancel: its coordinator writes a checkpoint
  CHECK(w.recorded("trainer_gone") == 0);
  SECTION("its coordinator ends") {
    CHECK(w.loses_link(7) == "");
    CHECK(w.look() == "end 101; end 102");
  }
  SECTION("Slurm ends the job") {
    w.end_of_base_job(7);
    CHECK(w.look() == "close 7; end 101; end 102");
  }
  CHECK(w.recorded("trainer_gone") == 1);
}

TEST_CASE("what was offered to a training that ended is soon lent to another") {
  World w;
  w.holes("n1");
  w.base_job(7, 1, 1);
  w.look();
  CHECK(w.registers(7) == "welcome 7; offer n1->7");
  w.end_of_base_job(7);
  w.base_job(8, 1, 1);
  w.look();
  CHECK(w.registers(8) == "welcome 8");
  // Its lease may be about to show up.  Slurm has no news meanwhile, so
  // snapshots come only when they are asked for.
  auto const asked = w.asked_to_look;
  w.now += 2;
  CHECK(w.decide() == "");
  CHECK(w.asked_to_look == asked + 1);
  CHECK(w.look() == "offer n1->8");
}

TEST_CASE("a lease of a job that is over when found is ended") {
  World w;
  w.holes("n1");
  w.lease(101, "n1", 99, "aa");
  CHECK(w.look() == "end 101");
}

TEST_CASE("the job id that gets ended is Slurm's, not the coordinator's") {
  World w;
  w.holes("n1");
  w.base_job(7, 1, 1);
  w.look();
  w.registers(7);
  // A lie: 666 is somebody else's job.
  w.says(7, msg::LeaseStarted{"n1", 666, 0.03});
  w.lease(101, "n1", 7, w.brain.leases().on_node("n1")->nonce);
  w.pending(5, 1);
  CHECK(w.look() == "back n1 of 7 (arrival, 1s)");
  CHECK(w.later(1) == "end 101");
}

TEST_CASE("a lease that must end before its number is known ends when it is") {
  World w;
  w.holes("n1");
  w.base_job(7, 1, 1);
  w.look();
  w.registers(7);
  auto const nonce = w.brain.leases().on_node("n1")->nonce;
  w.says(7, msg::LeaseStarted{"n1", 101, 0.03});
  w.pending(5, 1);
  CHECK(w.look() == "back n1 of 7 (arrival, 1s)");
  CHECK(w.later(1) == "");
  w.lease(101, "n1", 7, nonce);
  CHECK(w.look() == "end 101");
}

TEST_CASE("a lease in the partition that is not marked as ours is left alone") {
  World w;
  w.holes("n1");
  w.lease(101, "n1", 0, "");
  CHECK(w.look() == "");
  CHECK(w.later(60) == "");
}

TEST_CASE("only the owner of a running training job may register") {
  World w;
  w.holes("");
  w.base_job(7, 1, 4);
  w.base_job(8, 1, 4);
  w.cluster.trainers[1].running = false;
  w.look();
  CHECK(w.registers(7, {}, 1001) ==
        "refuse 7 (job 7 belongs to uid 1000, the coordinator runs as uid "
        "1001); close 7");
  CHECK(w.registers(7, {}, 0).find("refuse 7") == 0);
  CHECK(w.registers(8) == "");
  CHECK(w.registers(9) == "");
  CHECK(w.later(5) ==
        "refuse 8 (job 8 is not running); close 8; "
        "refuse 9 (job 9 is no training job of this cluster [submit it with "
        "sbatch --malleable=MIN-MAX]); close 9");
}

TEST_CASE(
    "a job that is too new for the last snapshot registers all the same") {
  World w;
  w.holes("n1");
  w.look();
  CHECK(w.registers(7) == "");
  w.base_job(7, 1, 4);
  CHECK(w.look() == "welcome 7; offer n1->7");
}

TEST_CASE("a coordinator that reconnects replaces its old connection") {
  World w;
  w.holes("");
  w.base_job(7, 1, 4);
  w.look();
  w.registers(7);
  w.brain.on_coordinator(70, 1000, msg::Register{7, {}, {}}, w.now);
  CHECK(w.decide() == "close 7; welcome 70");
  w.loses_link(7);
  CHECK(w.brain.roster().find(7)->link == 70);
}

TEST_CASE("the status shows trainers, leases and holes") {
  World w;
  w.holes("n[1-2]");
  w.running_trainer(7, 1, 1, {"n1"});
  w.says(7, msg::Progress{3, 4, {"n1"}, 17, 170, 10.5, 2.5, "running"});
  w.says(7, msg::Resized{3, "expand", 0, 4, "plan", 0.2, 0.05});
  auto const status = make_status(w.brain, w.now);
  REQUIRE(status.trainers.size() == 1);
  CHECK(status.trainers[0].state == "running");
  CHECK(status.trainers[0].nodes == std::vector<std::string>{"n1"});
  CHECK(status.trainers[0].step == 17);
  REQUIRE(status.leases.size() == 1);
  CHECK(status.leases[0].job == 101);
  CHECK(status.leases[0].state == "held");
  REQUIRE(status.holes.size() == 2);
  CHECK(status.holes[0].leased);
  CHECK_FALSE(status.holes[1].leased);
  CHECK(status.stall_p50_s == Approx(0.05));
}

}  // namespace
}  // namespace gleaner::daemon
