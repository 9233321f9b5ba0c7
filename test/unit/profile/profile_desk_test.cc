// SPDX-License-Identifier: Apache-2.0
/// When is a training measured on purpose, where, and at whose cost?
#include "profile/profile_desk.hh"

#include <cmath>
#include <deque>
#include <functional>
#include <set>

#include "test/unit/alloc/seed.hh"
#include "test/unit/catch.hh"

namespace gleaner::profile {
namespace {

using How = VisitEnd::How;

/// Trainings whose true step times are known, on nodes that are only counted.
class World {
 public:
  using StepS = std::function<double(int)>;

  explicit World(double share = 0.005) : desk(share) {}

  /// Samples of 10 ms, as many in a step whatever the nodes; and what nodes
  /// cost beside that.
  static StepS scaling(double per_node_s) {
    return [=](int k) { return 10.0 / k + per_node_s * (k - 1); };
  }

  void add(std::string id, int nodes, int most, StepS step_s,
           std::string user = "ada") {
    auto& t = trainings.emplace_back();
    t.step_s = std::move(step_s);
    t.advisor.set_traits({.family = "", .global_batch = 1000});
    t.subject.id = std::move(id);
    t.subject.user = std::move(user);
    t.subject.nodes = nodes;
    t.subject.nodes_max = most;
    t.subject.trained_s = 7200;
    t.subject.costs = {0.5, 0.2, 3, 0};
    measure(t, nodes);
  }

  /// As it is measured once it trains there.
  void measure(std::string const& id, int nodes) {
    for (auto& t : trainings)
      if (t.subject.id == id) measure(t, nodes);
  }

  std::vector<VisitEnd> go_on(double seconds = 1) {
    ProfileDesk::Present present;
    present.now_s = now_s += seconds;
    for (auto& t : trainings) {
      t.subject.advisor = &t.advisor;
      present.subjects.push_back(t.subject);
    }
    present.spare = spare;
    return desk.update(present);
  }

  /// Until a visit is begun.
  Visit const* visit(int seconds_most = 3600) {
    for (int s = 0; s < seconds_most && desk.visits().empty(); ++s) go_on();
    return desk.visits().empty() ? nullptr : &desk.visits().begin()->second;
  }

  struct Training {
    StepS step_s;
    Advisor advisor;
    Subject subject;
    std::uint64_t generation = 0;
  };
  std::deque<Training> trainings;
  ProfileDesk desk;
  double now_s = 0;
  int spare = 0;

 private:
  static void measure(Training& t, int nodes) {
    Pace pace;
    pace.generation = ++t.generation;
    pace.nodes = pace.members = nodes;
    pace.steps = 100;
    pace.step_s = t.step_s(nodes);
    pace.step_spread_s = 0.02 * pace.step_s;
    t.advisor.add(pace);
    t.subject.members_nodes = nodes;
    t.subject.steps = pace.steps;
  }
};

/// Eight nodes each for three of which nobody knows how others sizes would be.
World unknown(double share = 0.005) {
  World world(share);
  world.add("a", 8, 32, World::scaling(0.001));
  world.add("b", 8, 32, World::scaling(0.05));
  world.add("c", 8, 32, World::scaling(0.01));
  return world;
}

TEST_CASE("a size that nobody knows is visited where knowing it pays") {
  auto world = unknown();
  auto const* visit = world.visit();
  REQUIRE(visit);
  CHECK(visit->value_node_s > visit->cost_node_s);
  CHECK(visit->nodes != 8);
  CHECK(world.desk.why(visit->id).find(" nodes now; knowing may gain ") !=
        std::string::npos);
}

TEST_CASE(
    "a training that is new or ends soon is not worth what a long one is") {
  auto world = unknown();
  auto const* visit = world.visit();
  REQUIRE(visit);
  auto young = unknown();
  for (auto& t : young.trainings) t.subject.trained_s = 0;
  auto const* other = young.visit();
  CHECK((!other || other->value_node_s < visit->value_node_s));
}

TEST_CASE("a visit that costs more than may be gained is not made") {
  auto world = unknown();
  for (auto& t : world.trainings) t.subject.costs.start_s = 1000;
  CHECK_FALSE(world.visit());
  CHECK(world.desk.why("a") != "");
}

TEST_CASE("a training alone needs no knowledge") {
  World world;
  world.add("a", 8, 32, World::scaling(0.001));
  CHECK_FALSE(world.visit());
}

TEST_CASE("profile_share 0 switches visits off, and says so") {
  auto world = unknown(0);
  CHECK_FALSE(world.visit());
  CHECK(world.desk.why("a") == "no, profile_share is 0 in gleaner.yaml");
}

TEST_CASE("no visit ends after the hole, and a short hole gets none") {
  auto world = unknown();
  for (auto& t : world.trainings) t.subject.hole_s = 12;
  CHECK_FALSE(world.visit());
  CHECK(world.desk.why("a").find("no, the hole ends in 12 s") == 0);
  auto longer = unknown();
  for (auto& t : longer.trainings) t.subject.hole_s = 25;
  auto const* visit = longer.visit();
  REQUIRE(visit);
  CHECK(visit->until_s <= visit->since_s + 25);
}

TEST_CASE("what is visited is over once it is measured there") {
  auto world = unknown();
  auto const* begun = world.visit();
  REQUIRE(begun);
  auto const visit = *begun;
  CHECK(world.go_on(5).empty());
  world.measure(visit.id, visit.nodes);
  auto const ended = world.go_on();
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].visit.id == visit.id);
  CHECK(ended[0].how == How::measured);
}

TEST_CASE("where a training was measured is told also after later looks") {
  auto world = unknown();
  auto const* begun = world.visit();
  REQUIRE(begun);
  auto const visit = *begun;
  auto const tells = [&] {
    auto const why = world.desk.why(visit.id);
    return why.find("on " + std::to_string(visit.nodes) +
                    " nodes, which took") != std::string::npos;
  };
  CHECK_FALSE(tells());
  world.measure(visit.id, visit.nodes);
  world.go_on();
  CHECK(tells());
  // At home again nothing pays any more.
  world.measure(visit.id, 8);
  for (auto& t : world.trainings) t.subject.costs.start_s = 1000;
  for (int s = 0; s < 3600; ++s) world.go_on();
  CHECK(world.desk.why(visit.id).starts_with("no, "));
  CHECK(tells());
}

TEST_CASE("a look before all are measured counts only until they are") {
  auto world = unknown();
  for (auto& t : world.trainings) t.subject.costs.start_s = 1000;
  // One is still measured at its size: nothing pays at this first look.
  world.trainings[0].subject.steps = 5;
  world.go_on();
  REQUIRE_FALSE(world.desk.why("b").empty());
  for (auto& t : world.trainings) t.subject.costs.start_s = 3;
  for (int s = 0; s < 60; ++s) world.go_on();
  REQUIRE(world.desk.visits().empty());
  world.measure("a", 8);
  world.go_on();
  CHECK(world.desk.visits().size() == 1);
}

TEST_CASE("sizes descend from the largest") {
  auto world = unknown(0.5);
  std::string id;
  int last = 0, visits = 0;
  for (int i = 0; i < 20; ++i) {
    auto const* visit = world.visit(1);
    if (!visit) break;
    if (visit->id == id) {
      CHECK(visit->nodes < last);
      ++visits;
    }
    id = visit->id, last = visit->nodes;
    world.measure(id, last);
    world.go_on();
  }
  CHECK(visits > 0);
}

TEST_CASE("a visit that is not measured in time is given up, and made later") {
  auto world = unknown();
  auto const* begun = world.visit();
  REQUIRE(begun);
  auto const visit = *begun;
  std::vector<VisitEnd> ended;
  while (ended.empty() && world.now_s < visit.until_s + 1)
    ended = world.go_on();
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].how == How::late);
  CHECK(world.desk.why(visit.id).find("interrupted on") != std::string::npos);
}

TEST_CASE("a visit that no plan grants costs nothing") {
  auto world = unknown();
  auto const* visit = world.visit();
  REQUIRE(visit);
  REQUIRE(world.desk.interrupt(visit->id, world.now_s));
  CHECK(world.desk.budget().spent_node_s() == Approx(0));
}

TEST_CASE("what was interrupted goes on later, at the size where it was") {
  auto world = unknown();
  auto const* begun = world.visit();
  REQUIRE(begun);
  auto const visit = *begun;
  auto const spent = world.desk.budget().spent_node_s();
  world.go_on(5);
  REQUIRE(world.desk.interrupt(visit.id, world.now_s));
  CHECK_FALSE(world.desk.interrupt(visit.id, world.now_s));
  CHECK(world.desk.budget().spent_node_s() >= spent);
  auto const interrupted_s = world.now_s;
  bool again = false;
  for (int s = 0; s < 3600 && !again; ++s) {
    world.go_on();
    for (auto const& [id, other] : world.desk.visits())
      if (id == visit.id) {
        again = true;
        CHECK(other.nodes == visit.nodes);
        CHECK(other.since_s >= interrupted_s + 60);
      }
    // Others are measured meanwhile.
    auto const others = world.desk.visits();
    for (auto const& [id, other] : others)
      if (id != visit.id) world.measure(id, other.nodes);
  }
  CHECK(again);
}

TEST_CASE("one of a family is measured, for all") {
  auto world = unknown();
  for (auto& t : world.trainings) t.subject.family = "train.py";
  REQUIRE(world.visit());
  for (int s = 0; s < 10; ++s) world.go_on();
  CHECK(world.desk.visits().size() == 1);
}

TEST_CASE("what is spent stays within the share, whatever trainings do") {
  alloc::Seed const seed("profile_desk_test");
  INFO("GLEANER_SEED=" << seed.value());
  std::mt19937 random(seed.value());
  for (int round = 0; round < 5; ++round) {
    World world(0.005);
    int nodes = 0;
    for (int i = 0; i < 6; ++i) {
      int const has = alloc::pick(random, 1, 12);
      nodes += has;
      world.add(std::string(1, static_cast<char>('a' + i)), has, 32,
                World::scaling(alloc::pick(random, 1, 60) / 1000.0),
                i % 2 ? "ada" : "ben");
    }
    int visits = 0;
    for (int s = 0; s < 4000; s += 5) {
      world.spare = alloc::pick(random, 0, 2);
      for (auto const& end : world.go_on(5)) visits += end.how == How::measured;
      auto const now = world.desk.visits();
      for (auto const& [id, visit] : now) {
        CHECK(visit.until_s >= world.now_s - 5);
        if (alloc::pick(random, 0, 3) == 0) world.measure(id, visit.nodes);
        if (alloc::pick(random, 0, 9) == 0)
          world.desk.interrupt(id, world.now_s);
      }
    }
    auto const& budget = world.desk.budget();
    // A visit that is late may take three times what it was to.
    CHECK(budget.spent_node_s() <=
          0.005 * (budget.lent_node_s() + 3600 * (nodes + 2)) * 1.5);
  }
}

TEST_CASE("nobody is asked to go below a minimum or beyond a maximum") {
  auto world = unknown(0.5);
  for (auto& t : world.trainings) {
    t.subject.nodes_min = 7;
    t.subject.nodes_max = 9;
  }
  for (int i = 0; i < 10; ++i) {
    auto const* visit = world.visit(1);
    if (!visit) break;
    CHECK(visit->nodes >= 7);
    CHECK(visit->nodes <= 9);
    auto const done = *visit;
    world.measure(done.id, done.nodes);
    world.go_on();
  }
}

/// A user who says that twice the nodes are twice as fast and more.
TEST_CASE("who lies about speed gets no more than a fair share of visits") {
  World world(0.5);
  auto const lie = [](int k) { return 10.0 / std::pow(k, 1.5); };
  world.add("liar", 8, 64, lie, "mallory");
  world.add("b", 8, 64, World::scaling(0.01), "ada");
  world.add("c", 8, 64, World::scaling(0.01), "ben");
  int visits = 0;
  for (int s = 0; s < 20'000; s += 5) {
    world.go_on(5);
    auto const now = world.desk.visits();
    for (auto const& [id, visit] : now) {
      // Beyond 24 / 3 nodes others give none for it.
      if (visit.nodes > 8) CHECK(visit.by_own_nodes);
      if (id == "liar") {
        ++visits;
        // It has one training only, and there are no spare nodes.
        CHECK(visit.nodes < 8);
      }
      world.measure(id, visit.nodes);
    }
  }
  INFO(visits << " visits");
  auto const& budget = world.desk.budget();
  CHECK(budget.spent_node_s() <= 0.5 * (budget.lent_node_s() + 3600 * 24));
}

}  // namespace
}  // namespace gleaner::profile
