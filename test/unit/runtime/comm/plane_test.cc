// SPDX-License-Identifier: Apache-2.0
/// What every data plane promises.  planes/plane_under_test.hh says how a
/// plane gets into this table; planes/member.hh what members are told.
#include <chrono>
#include <random>
#include <thread>

#include "planes/members.hh"
#include "test/unit/catch.hh"

namespace gleaner::comm {
using namespace test;

namespace {

/// Nothing of a member is waited for longer than this once it is stopped.
constexpr double stop_s_max = 2;
#ifdef __SANITIZE_THREAD__
// Its notes on memory take most time.
constexpr std::size_t large = 200'003, large_operation = 20'003;
#else
constexpr std::size_t large = 1'000'003, large_operation = 100'003;
#endif

std::vector<PlaneUnderTest> planes_for(int members) {
  std::vector<PlaneUnderTest> planes;
  for (auto& plane : planes_under_test())
    if (plane.members_max >= members) planes.push_back(plane);
  return planes;
}

bool are_processes(PlaneUnderTest const& plane) {
  return plane.hosting == PlaneUnderTest::Hosting::processes;
}

std::vector<int> first(int count) {
  std::vector<int> members;
  for (int i = 0; i < count; ++i) members.push_back(i);
  return members;
}

/// Differs from run to run; printed when a check fails.
unsigned new_seed() { return std::random_device{}() & 0xffff; }

double seconds_of(auto call) {
  auto const begun = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun)
      .count();
}

bool ok(nlohmann::json const& answer) { return answer.value("ok", false); }

/// It came, and says that it failed.
bool failed(nlohmann::json const& answer) {
  return answer.contains("ok") && !ok(answer);
}

constexpr Element all_types[] = {Element::float32, Element::float64,
                                 Element::float16, Element::bfloat16,
                                 Element::int64};

}  // namespace

TEST_CASE("a sum is right, has the same bits on all members, changes no input",
          "[sum]") {
  for (int size = 1; size <= 8; ++size)
    for (auto const& plane : planes_for(size)) {
      Members members(plane, size);
      INFO(plane.name << ", " << size << " members");
      REQUIRE(members.connect_all(1, first(size)));
      unsigned seed = 1;
      for (auto type : all_types)
        for (std::size_t n :
             {std::size_t(0), std::size_t(1), std::size_t(2), std::size_t(3),
              std::size_t(7), std::size_t(1000), std::size_t(65537), large}) {
          if (n == large && (size > 3 || size_of(type) == 8)) continue;
          INFO(n << " of " << name_of(type));
          CHECK(members.check_sum(1, first(size), type, n, ++seed) == "");
        }
      CHECK(members.stop_all(1, first(size)));
    }
}

TEST_CASE("other operations give each member what is its own", "[operations]") {
  auto const seed = new_seed();
  for (int size = 1; size <= 8; ++size)
    for (auto const& plane : planes_for(size)) {
      if (!plane.has_all_operations) continue;
      Members members(plane, size);
      INFO(plane.name << ", " << size << " members, seed " << seed);
      REQUIRE(members.connect_all(1, first(size)));
      for (auto const* what : {"reduce_scatter", "all_gather", "broadcast",
                               "pairs", "groups", "all_gather"})
        for (std::size_t const n :
             {std::size_t(0), std::size_t(1), std::size_t(7), std::size_t(1000),
              large_operation}) {
          if (std::string(what) == "pairs" && size == 1) continue;
          INFO(n << " of " << what);
          CHECK(members.check_operation(1, first(size), what, n,
                                        seed + unsigned(n)) == "");
        }
      CHECK(members.check_sum(1, first(size), Element::float32, 1000, 1) == "");
      CHECK(members.stop_all(1, first(size)));
    }
}

TEST_CASE("an operation that a plane lacks is refused, and harms nothing") {
  for (auto const& plane : planes_for(2)) {
    if (plane.has_all_operations) continue;
    INFO(plane.name);
    Members members(plane, 2);
    REQUIRE(members.connect_all(1, first(2)));
    for (auto const* what :
         {"reduce_scatter", "all_gather", "broadcast", "pairs", "groups"})
      CHECK(failed(members.wait(members.operate(0, 1, what, 10, 1))));
    CHECK(members.check_sum(1, first(2), Element::float32, 1000, 1) == "");
    CHECK(members.stop_all(1, first(2)));
  }
}

TEST_CASE("stop ends a sum that waits for a member that does not come") {
  for (auto const& plane : planes_for(3)) {
    INFO(plane.name);
    Members members(plane, 3);
    REQUIRE(members.connect_all(1, first(3)));
    // They have something to wait for, whether they are in it yet or not.
    auto const a = members.sum(0, 1, Element::float32, large);
    auto const b = members.sum(1, 1, Element::float32, large);
    auto const took_s = seconds_of([&] {
      members.stop(0, 1);
      members.stop(1, 1);
      CHECK(failed(members.wait(a)));
      CHECK(failed(members.wait(b)));
    });
    CHECK(took_s < stop_s_max);
    CHECK(failed(members.wait(members.sum(0, 1, Element::float32, 1))));
    CHECK(members.stop_all(1, first(3)));
  }
}

TEST_CASE("stop ends a sum at any moment, and then nothing is written") {
  auto const seed = new_seed();
  std::mt19937 random(seed);
  for (auto const& plane : planes_for(3)) {
    INFO(plane.name << ", seed " << seed);
    Members members(plane, 3);
    for (int run = 1; run <= 8; ++run) {
      REQUIRE(members.connect_all(run, first(3)));
      std::vector<Members::Ticket> spins;
      for (int m : first(3))
        spins.push_back(members.spin(m, run, large, 1 + int(random() % 8)));
      CHECK(members.wait_told(spins[random() % 3]));
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 9000));
      // One after another: the first is gone before the others know.
      auto const begin = int(random() % 3);
      for (int i = 0; i < 3; ++i) members.stop((begin + i) % 3, run);
      for (auto spin : spins) {
        auto const answer = members.wait(spin, stop_s_max);
        CHECK(failed(answer));
        CHECK(answer.value("wrong", 1) == 0);
      }
      CHECK(members.stop_all(run, first(3)));
      for (int m : first(3)) CHECK(ok(members.wait(members.look(m))));
    }
  }
}

TEST_CASE("stop before connect, twice and again after a failure does no harm") {
  for (auto const& plane : planes_for(2)) {
    INFO(plane.name);
    Members members(plane, 1);
    CHECK(ok(members.wait(members.misuse(0))));
  }
}

TEST_CASE("a connect whose exchange is given up fails") {
  for (auto const& plane : planes_for(2)) {
    INFO(plane.name);
    Members members(plane, 2);
    auto const waiting = members.connect(0, 1, 0, 2);
    members.give_up(0, 1);
    CHECK(failed(members.wait(waiting, stop_s_max)));
  }
}

TEST_CASE("stop ends a connect whose other member has left") {
  for (auto const& plane : planes_for(2)) {
    INFO(plane.name);
    Members members(plane, 2);
    auto const waiting = members.connect(0, 1, 0, 2);
    auto const leaving = members.connect(1, 1, 1, 2, 20, "vanish");
    CHECK(failed(members.wait(leaving)));
    members.drop(1, 1);
    members.stop(0, 1);
    // It may have ended before: to be connected is no promise that a sum
    // succeeds.
    auto const answer = members.wait(waiting, stop_s_max);
    CHECK(answer.contains("ok"));
    CHECK(failed(members.wait(members.sum(0, 1, Element::float32, 1))));
  }
}

TEST_CASE("a connect that nobody answers ends by itself") {
  for (auto const& plane : planes_for(2)) {
    INFO(plane.name);
    Members members(plane, 2);
    auto const took_s = seconds_of([&] {
      auto const waiting = members.connect(0, 1, 0, 2, 0.5);
      auto const silent = members.connect(1, 1, 1, 2, 20, "vanish");
      CHECK(members.wait(waiting, 5).contains("ok"));
      CHECK(failed(members.wait(silent)));
    });
    CHECK(took_s < 3);
  }
}

TEST_CASE("members connect again beside a running sum, then with others") {
  for (auto const& plane : planes_for(4)) {
    INFO(plane.name);
    Members members(plane, 4);
    REQUIRE(members.connect_all(1, {0, 1, 2}));
    std::vector<Members::Ticket> spins;
    for (int m : {0, 1, 2}) spins.push_back(members.spin(m, 1, 65537, 20));
    CHECK(members.wait_told(spins[0]));
    // One more member, and in another order.
    REQUIRE(members.connect_all(2, {3, 1, 0, 2}));
    CHECK(members.stop_all(1, {0, 1, 2}));
    for (auto spin : spins) {
      auto const answer = members.wait(spin);
      CHECK(answer.value("wrong", 1) == 0);
      CHECK(answer.value("rounds", 0) >= 1);
    }
    CHECK(members.check_sum(2, {3, 1, 0, 2}, Element::float32, large, 1) == "");
    CHECK(members.stop_all(2, {0, 1, 2, 3}));
  }
}

TEST_CASE("losing a member before a sum: survivors are freed, and go on") {
  for (auto const& plane : planes_for(3)) {
    INFO(plane.name);
    Members members(plane, 3);
    REQUIRE(members.connect_all(1, first(3)));
    members.kill(1);
    auto const a = members.sum(0, 1, Element::float32, large);
    auto const b = members.sum(2, 1, Element::float32, large);
    CHECK(members.stop_all(1, {0, 2}));
    CHECK(failed(members.wait(a, stop_s_max)));
    CHECK(failed(members.wait(b, stop_s_max)));
    REQUIRE(members.connect_all(2, {0, 2}));
    CHECK(members.check_sum(2, {0, 2}, Element::float32, large, 1) == "");
    for (int m : {0, 2}) CHECK(ok(members.wait(members.look(m))));
  }
}

TEST_CASE("losing a member inside a sum: survivors are freed, and go on") {
  auto const seed = new_seed();
  std::mt19937 random(seed);
  for (auto const& plane : planes_for(4))
    for (int run = 0; run < 3; ++run) {
      INFO(plane.name << ", seed " << seed << ", run " << run);
      Members members(plane, 4);
      REQUIRE(members.connect_all(1, first(4)));
      std::vector<Members::Ticket> spins;
      for (int m : first(4)) spins.push_back(members.spin(m, 1, large, 3));
      CHECK(members.wait_told(spins[0]));
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 9000));
      auto const victim = int(random() % 4);
      auto survivors = first(4);
      survivors.erase(survivors.begin() + victim);
      members.kill(victim);
      CHECK(members.stop_all(1, survivors));
      for (int m : survivors) {
        auto const answer = members.wait(spins[std::size_t(m)], stop_s_max);
        CHECK(failed(answer));
        CHECK(answer.value("wrong", 1) == 0);
      }
      REQUIRE(members.connect_all(2, survivors));
      CHECK(members.check_sum(2, survivors, Element::float32, large, 1) == "");
      for (int m : survivors) CHECK(ok(members.wait(members.look(m))));
    }
}

TEST_CASE("losing a member frees the others, unasked, if the plane says so") {
  auto const seed = new_seed();
  std::mt19937 random(seed);
  for (auto const& plane : planes_for(8)) {
    if (!plane.tells_losses) continue;
    INFO(plane.name << ", seed " << seed);
    Members members(plane, 8);
    REQUIRE(members.connect_all(1, first(8)));
    std::vector<Members::Ticket> spins;
    for (int m : first(8)) spins.push_back(members.spin(m, 1, 65537, 3));
    CHECK(members.wait_told(spins[0]));
    auto const victim = int(random() % 8);
    members.kill(victim);
    auto const took_s = seconds_of([&] {
      for (int m : first(8)) {
        if (m == victim) continue;
        auto const answer = members.wait(spins[std::size_t(m)], stop_s_max);
        CHECK(failed(answer));
        CHECK(answer.value("wrong", 1) == 0);
      }
    });
    CHECK(took_s < 1);
  }
}

TEST_CASE("losing a member after a sum: it was whole, and the next one fails") {
  for (auto const& plane : planes_for(2)) {
    INFO(plane.name);
    Members members(plane, 2);
    REQUIRE(members.connect_all(1, first(2)));
    CHECK(members.check_sum(1, first(2), Element::float64, 65537, 3) == "");
    members.kill(1);
    auto const next = members.sum(0, 1, Element::float64, 65537);
    members.stop(0, 1);
    CHECK(failed(members.wait(next, stop_s_max)));
    CHECK(ok(members.wait(members.look(0))));
  }
}

TEST_CASE("a killed member is a process where the plane has processes") {
  // What is called killed above must be: else those cases show less.
  int processes = 0;
  for (auto const& plane : planes_for(2)) {
    if (plane.is_stand_in) ++processes;
    if (are_processes(plane)) {
      Members members(plane, 2);
      REQUIRE(members.connect_all(1, first(2)));
      members.kill(0);
      CHECK(members.wait(members.look(0)).contains("lost"));
      ++processes;
    }
  }
  CHECK(processes > 0);
}

}  // namespace gleaner::comm
