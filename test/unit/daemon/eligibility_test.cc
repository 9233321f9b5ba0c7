// SPDX-License-Identifier: Apache-2.0
/// Trainings get only nodes that can serve what they asked of nodes.
#include "test/unit/daemon/world.hh"

namespace gleaner::daemon {
namespace {

/// n1: 4 GPUs.  n2, n3: 2 of type a.
struct Mixed : World {
  Mixed() {
    holes("n[1-3]");
    cluster.kinds.front().features = {"slow"};
    auto& kind = other_kind("n[2-3]");
    kind.total = {8, 32000, {{"gpu:a", 2}}};
    kind.features = {"fast"};
  }
};

TEST_CASE("a training gets only nodes that fit its lease template") {
  Mixed w;
  SECTION("GPUs by count") { w.base_job(7, 1, 4, 1000, "--gres=gpu:4"); }
  SECTION("CPUs") { w.base_job(7, 1, 4, 1000, "-c4 --constraint=slow"); }
  SECTION("names") { w.base_job(7, 1, 4, 1000, "--exclude=n[2-3]"); }
  w.look();
  CHECK(w.registers(7) == "welcome 7; offer n1->7");
}

TEST_CASE("trainings of different needs share the machine") {
  Mixed w;
  w.base_job(7, 1, 4, 1000, "--gres=gpu:a:1");
  w.base_job(8, 1, 4, 1000, "");
  w.look();
  CHECK(w.registers(7) == "welcome 7; offer n2->7; offer n3->7");
  CHECK(w.registers(8) == "welcome 8; offer n1->8");
}

TEST_CASE("a training that no node can ever serve is refused, and told why") {
  Mixed w;
  w.base_job(7, 1, 4, 1000, "--gres=gpu:b:4");
  w.look();
  CHECK(w.registers(7) ==
        "refuse 7 (job 7 can never start: no node of partition lease has "
        "gpu:b:4; nearest: n1 lacks gpu:b:4 (has gpu:4) [submit it with other "
        "options]); close 7");
}

TEST_CASE("so is one that needs more nodes than could ever serve it") {
  Mixed w;
  w.base_job(7, 3, 4, 1000, "--gres=gpu:a:2");
  w.look();
  CHECK(w.registers(7) ==
        "refuse 7 (job 7 can never start: it needs at least 3 nodes, and 2 "
        "could serve it (--gres=gpu:a:2) [submit it with --malleable=2 or "
        "less]); close 7");
}

TEST_CASE("a node that is busy now may serve later: nobody is refused") {
  Mixed w;
  w.base_job(7, 1, 4, 1000, "--gres=gpu:a:2");
  w.holes("n1");
  w.look();
  CHECK(w.registers(7) == "welcome 7");
  w.holes("n[1-2]");
  CHECK(w.look() == "offer n2->7");
}

TEST_CASE("a training asks for no more nodes than could ever serve it") {
  Mixed w;
  w.base_job(7, 1, 100000, 1000, "--gres=gpu:a:2");
  w.look();
  w.registers(7);
  CHECK(w.brain.roster().find(7)->base.nodes_max == 2);
  CHECK(w.brain.roster().find(7)->scaling.told().mean.size() == 3);
}

TEST_CASE("a refusal keeps a node from those who ask the same, not others") {
  Mixed w;
  w.holes("n2");
  w.base_job(7, 1, 4, 1000, "--gres=gpu:a:2");
  w.base_job(8, 1, 4, 1001, "--gres=gpu:a:2");
  w.base_job(9, 1, 4, 1002, "--gres=gpu:a:1");
  w.look();
  CHECK(w.registers(7) == "welcome 7; offer n2->7");
  CHECK(w.registers(8, {}, 1001) == "welcome 8");
  w.says(7, msg::LeaseFailed{"n2", "busy"});
  CHECK(w.later(1) == "");
  SECTION("another template") {
    CHECK(w.registers(9, {}, 1002) == "welcome 9; offer n2->9");
  }
  SECTION("the same, when the time is over") {
    CHECK(w.later(1.1) == "offer n2->7");
  }
}

}  // namespace
}  // namespace gleaner::daemon
