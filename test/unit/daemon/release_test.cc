// SPDX-License-Identifier: Apache-2.0
/// All trainers leave for an arrival before any of their leases ends: the end
/// of the first would make Slurm preempt the others.
#include "core/free_nodes.hh"
#include "test/unit/daemon/world.hh"

namespace gleaner::daemon {
namespace {

/// Trainer 7 has n1 and n2 (leases 101, 102), trainer 8 has n3 and n4 (201,
/// 202).
World two_trainers() {
  World w;
  w.holes("n[1-2]");
  w.running_trainer(7, 1, 2, {"n1", "n2"});
  w.base_job(8, 1, 2);
  w.holes("n[1-4]");
  w.look();
  w.registers(8);
  w.takes(8, "n3", 201);
  w.takes(8, "n4", 202);
  return w;
}

TEST_CASE("leases of several trainers end together") {
  auto w = two_trainers();
  w.pending(5, 3);
  CHECK(w.look() ==
        "back n[1-2] of 7 (arrival, 1s); back n3 of 8 (arrival, 1s)");
  CHECK(w.vacates(7, {"n1"}) == "");
  CHECK(w.vacates(8, {"n3"}) == "");
  CHECK(w.later(0.1) == "");
  CHECK(w.vacates(7, {"n2"}) == "release n[1-2] of 7; release n3 of 8");
  CHECK(w.later(0.1) == "");
}

TEST_CASE("a trainer that is alone is released when it is out") {
  World w;
  w.holes("n1");
  w.running_trainer(7, 1, 1, {"n1"});
  w.pending(5, 1);
  w.look();
  CHECK(w.vacates(7, {"n1"}) == "release n1 of 7");
  w.end_of_lease(101);
  CHECK(w.says(7, msg::LeaseEnded{"n1", 101, "released"}) == "");
  CHECK(w.look() == "");
  CHECK(w.brain.leases().all().empty());
}

TEST_CASE("at the deadline all end in one burst, out or not") {
  auto w = two_trainers();
  w.pending(5, 4);
  w.look();
  w.vacates(7, {"n1", "n2"});
  CHECK(w.brain.next_s(w.now) == Approx(w.now + 1));
  CHECK(w.later(1) == "end 101; end 102; end 201; end 202");
}

TEST_CASE("a trainer that dies while it leaves keeps nobody waiting") {
  auto w = two_trainers();
  w.pending(5, 3);
  w.look();
  w.vacates(7, {"n1", "n2"});
  SECTION("its lease ends") {
    CHECK(w.says(8, msg::LeaseEnded{"n3", 201, "lost"}) ==
          "release n[1-2] of 7");
  }
  SECTION("Slurm says that its lease is over") {
    w.end_of_lease(201);
    CHECK(w.look() == "release n[1-2] of 7");
  }
  SECTION("its job is over") {
    w.end_of_base_job(8);
    CHECK(w.look() == "close 8; end 201; end 202; release n[1-2] of 7");
  }
  SECTION("its coordinator is silent until the deadline") {
    w.loses_link(8);
    CHECK(w.later(0.9) == "");
    CHECK(w.later(0.1) == "end 101; end 102; end 201");
  }
}

TEST_CASE("a lease whose trainer cannot be told is ended in Slurm") {
  auto w = two_trainers();
  w.pending(5, 3);
  w.look();
  w.vacates(7, {"n1", "n2"});
  w.loses_link(7);
  CHECK(w.vacates(8, {"n3"}) == "end 101; end 102; release n3 of 8");
}

TEST_CASE("a trainer that was away is asked again") {
  auto w = two_trainers();
  w.pending(5, 3);
  w.look();
  w.loses_link(8);
  w.now += 0.2;
  CHECK(w.registers(8, {{"n3", 201}, {"n4", 202}}) ==
        "welcome 8; back n3 of 8 (arrival, 0s)");
  w.vacates(7, {"n1", "n2"});
  CHECK(w.vacates(8, {"n3"}) == "release n[1-2] of 7; release n3 of 8");
}

TEST_CASE("two arrivals wait for each other: either end would hit both") {
  auto w = two_trainers();
  w.pending(5, 1);
  CHECK(w.look() == "back n1 of 7 (arrival, 1s)");
  w.now += 0.2;
  w.pending(6, 1);
  CHECK(w.look() == "back n2 of 7 (arrival, 1s)");
  CHECK(w.vacates(7, {"n1"}) == "");
  CHECK(w.vacates(7, {"n2"}) == "release n[1-2] of 7");
}

TEST_CASE("what a plan takes ends at once, but not while a job waits") {
  auto w = two_trainers();
  w.end_of_base_job(7);  // 8 may have more, a third comes
  auto const leave = [&w] {
    World& world = w;
    world.brain.on_coordinator(8, 1000, msg::Vacated{{"n3"}}, world.now);
    return world.decide();
  };
  SECTION("no job waits") { CHECK(leave().find("release n3") == 0); }
  SECTION("n4 is being left for a job") {
    w.pending(5, 1, "n4");
    CHECK(w.look().find("back n4 of 8 (arrival, 1s)") != std::string::npos);
    CHECK(leave() == "");
    CHECK(w.vacates(8, {"n4"}) == "release n[3-4] of 8");
  }
}

TEST_CASE("a node that a plan takes is wanted sooner by a job that arrives") {
  World w;
  w.holes("n[1-4]");
  w.running_trainer(7, 1, 4, {"n1", "n2", "n3", "n4"});
  w.base_job(8, 1, 4);
  w.look();
  w.registers(8);
  CHECK(w.later(1) == "back n[3-4] of 7 (plan, 30s)");
  w.pending(5, 1, "n4");
  CHECK(w.look() == "back n4 of 7 (arrival, 1s)");
  CHECK(w.look() == "");
  CHECK(w.vacates(7, {"n3"}) == "");
  CHECK(w.vacates(7, {"n4"}) == "release n[3-4] of 7");
}

TEST_CASE("a restarted gleanerd releases what the one before it gathered") {
  World w;
  w.holes("n[1-2]");
  w.base_job(7, 1, 4);
  w.lease(101, "n1", 7, "aa");
  w.lease(102, "n2", 7, "bb");
  w.pending(5, 1);
  CHECK(w.look() == "");
  CHECK(w.registers(7, {{"n1", 101}, {"n2", 102}}) ==
        "welcome 7; back n1 of 7 (arrival, 1s)");
  SECTION("and knows what is out by then") {
    CHECK(w.vacates(7, {"n1"}) == "release n1 of 7");
  }
  SECTION("also of a node that is not asked for any more") {
    CHECK(w.vacates(7, {"n2"}) == "");  // n1 is still being left
    CHECK(w.vacates(7, {"n1"}) == "release n[1-2] of 7");
  }
}

TEST_CASE("a released lease that does not end is ended") {
  World w;
  w.holes("n1");
  w.running_trainer(7, 1, 1, {"n1"});
  w.pending(5, 1);
  w.look();
  CHECK(w.vacates(7, {"n1"}) == "release n1 of 7");
  CHECK(w.later(1.9) == "");
  CHECK(w.later(0.1) == "end 101");
}

TEST_CASE("the end of a lease tells how long its node took to be free") {
  World w;
  w.holes("n1");
  w.running_trainer(7, 1, 1, {"n1"});
  auto const completing_s = [&]() -> std::string {
    auto const end =
        std::find_if(w.records.begin(), w.records.end(),
                     [](auto& r) { return r.event == "lease_ended"; });
    REQUIRE(end != w.records.end());
    auto const& data = end->data;
    return data.contains("completing_s") ? data["completing_s"].dump() : "";
  };
  auto const completes = [&] { w.cluster.leases[0].running = false; };
  SECTION("from the look that sees it complete to the one without it") {
    w.pending(5, 1);
    w.look();
    w.vacates(7, {"n1"});
    completes();
    w.later(0.5);
    w.later(1);
    w.end_of_lease(101);
    w.later(0.5);
    CHECK(completing_s() == "1.5");
  }
  SECTION("no time if no look has seen that") {
    w.pending(5, 1);
    w.look();
    w.vacates(7, {"n1"});
    w.end_of_lease(101);
    w.later(0.5);
    CHECK(completing_s() == "0");
  }
  SECTION("nothing where Slurm or gleanerd ended its processes") {
    SECTION("Slurm") { completes(); }
    SECTION("gleanerd") {
      w.pending(5, 1);
      w.look();
      CHECK(w.later(1) == "end 101");
      completes();
    }
    w.later(0.5);
    w.end_of_lease(101);
    w.later(1);
    CHECK(completing_s() == "");
  }
}

TEST_CASE("a notice is longer by what the Epilogs of leases take") {
  World w;
  w.brain.set_looks_at_queue(true);
  CHECK(w.brain.notice_s() == 2);
  struct Row {
    double epilog_s;
    int notice_s;
  } const rows[] = {{0.3, 2}, {1.4, 4}, {2, 4}, {60, notice_s_max}};
  for (auto const& row : rows) {
    CAPTURE(row.epilog_s);
    World one;
    one.brain.set_looks_at_queue(true);
    one.holes("n1");
    one.running_trainer(7, 1, 1, {"n1"});
    one.pending(5, 1);
    one.look();
    one.vacates(7, {"n1"});
    one.cluster.leases[0].running = false;
    one.look();
    one.now += row.epilog_s;
    one.end_of_lease(101);
    one.look();
    CHECK(one.brain.notice_s() == row.notice_s);
  }
}

TEST_CASE("a notice is longer where many leases may be in the way") {
  struct Row {
    int leases, notice_s;
  } const rows[] = {{99, 2}, {100, 3}, {500, 7}, {5000, notice_s_max}};
  for (auto const& row : rows) {
    CAPTURE(row.leases);
    World w;
    w.brain.set_looks_at_queue(true);
    w.base_job(7, 1, row.leases);
    for (int i = 1; i <= row.leases; ++i)
      w.cluster.leases.push_back(
          {static_cast<JobId>(100 + i), "n" + std::to_string(i), 1000, 7,
           "t" + std::to_string(i), true, w.now, w.now + 3600});
    w.look();
    CHECK(w.brain.notice_s() == row.notice_s);
  }
}

TEST_CASE("Slurm is not told to end a lease that completes") {
  World w;
  w.holes("n1");
  w.running_trainer(7, 1, 1, {"n1"});
  auto const completes = [&] { w.cluster.leases[0].running = false; };
  SECTION("since Slurm preempted it") {
    completes();
    CHECK(w.look() == "");
    CHECK(w.later(5) == "");
    CHECK(w.later(5) == "");
  }
  SECTION("since it was told before") {
    w.pending(5, 1);
    w.look();
    CHECK(w.later(1) == "end 101");
    completes();
    CHECK(w.later(5) == "");
  }
  SECTION("but one that runs on is ended again") {
    w.pending(5, 1);
    w.look();
    CHECK(w.later(1) == "end 101");
    CHECK(w.later(5) == "end 101");
  }
}

TEST_CASE("who says to have left what it does not have changes nothing") {
  auto w = two_trainers();
  CHECK(w.vacates(8, {"n1", "n9"}) == "");
  CHECK(w.brain.leases().on_node("n1")->state == Lease::State::held);
}

TEST_CASE("a node whose lease is ending stays the place of the job it is for") {
  World w;
  w.holes("n[1-3]");
  w.running_trainer(7, 1, 3, {"n1", "n2", "n3"});
  w.pending(5, 1);
  CHECK(w.look() == "back n1 of 7 (arrival, 1s)");
  CHECK(w.vacates(7, {"n1"}) == "release n1 of 7");
  w.end_of_lease(101);
  w.holes("n[2-3]");  // n1 completes
  CHECK(w.look() == "");
  SECTION("until the job is gone: then somebody has the node") {
    w.cluster.pending.clear();
    CHECK(w.look() == "");
    CHECK_FALSE(w.brain.places().count("n1"));
  }
  SECTION("but not for long") {
    CHECK(w.later(0.4) == "");
    CHECK(w.later(0.2) == "back n2 of 7 (arrival, 1s)");
  }
  SECTION("and is lent to nobody meanwhile") {
    w.base_job(8, 1, 4);
    w.look();
    CHECK(w.registers(8) == "welcome 8");
    CHECK(w.later(0.4) == "");
  }
}

TEST_CASE("slurmctld looks at its queue when the nodes of a job are free") {
  World w;
  w.brain.set_looks_at_queue(true);
  w.holes("n[1-4]");
  w.running_trainer(7, 1, 4, {"n1", "n2", "n3", "n4"});
  w.pending(5, 2);
  CHECK(w.look() == "back n[1-2] of 7 (arrival, 1s)");
  w.vacates(7, {"n1", "n2"});
  w.end_of_lease(101);
  CHECK(w.look() == "");
  w.end_of_lease(102);
  w.holes("n[1,3-4]");  // n2 completes
  CHECK(w.look() == "");
  SECTION("once") {
    w.holes("n[1-4]");
    CHECK(w.look() == "look at queue");
    CHECK(w.later(1) == "");
  }
  SECTION("but not if it has started already") {
    w.holes("n[3-4]");
    w.cluster.pending.clear();
    CHECK(w.look() == "");
  }
}

TEST_CASE("slurmctld is not woken for a job that found its nodes idle") {
  World w;
  w.brain.set_looks_at_queue(true);
  w.holes("n[1-4]");
  w.running_trainer(7, 1, 1, {"n1"});
  w.pending(5, 2);
  CHECK(w.look() == "");
  CHECK(w.later(1) == "");
}

}  // namespace
}  // namespace gleaner::daemon
