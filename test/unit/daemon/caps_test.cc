// SPDX-License-Identifier: Apache-2.0
/// How many nodes may be lent in all, to one user, and to one account.
#include "daemon/decisions/caps.hh"

#include "test/unit/daemon/world.hh"

namespace gleaner::daemon {
namespace {

struct Wish {
  Uid uid;
  int nodes_min, nodes_max;
  std::string account = "";
};

/// "4 4 -": nodes_max of each trainer within a cap for users, and one for
/// accounts; -: left out.
std::string capped(int cap, std::vector<Wish> const& wishes,
                   int account_cap = 0) {
  auto config = default_config();
  config.leases_per_user_max = cap;
  config.leases_per_account_max = account_cap;
  alloc::Problem problem;
  std::vector<Owner> owners;
  for (auto const& [uid, nodes_min, nodes_max, account] : wishes) {
    alloc::Trainer trainer;
    trainer.id = std::to_string(owners.size());
    trainer.nodes_min = nodes_min;
    trainer.nodes_max = nodes_max;
    trainer.speed.assign(static_cast<std::size_t>(nodes_max) + 1, 1.0);
    problem.trainers.push_back(trainer);
    owners.push_back({uid, account});
  }
  apply_caps(config, &owners, &problem);
  REQUIRE(owners.size() == problem.trainers.size());
  std::vector<std::string> parts(wishes.size(), "-");
  for (auto const& trainer : problem.trainers) {
    parts[std::stoul(trainer.id)] = std::to_string(trainer.nodes_max);
    CHECK(static_cast<int>(trainer.speed.size()) == trainer.nodes_max + 1);
  }
  std::string text;
  for (auto const& part : parts) text += (text.empty() ? "" : " ") + part;
  return text;
}

TEST_CASE("a user's trainers share the user's cap") {
  CHECK(capped(0, {{1, 1, 8}, {1, 1, 8}}) == "8 8");
  CHECK(capped(8, {{1, 1, 16}}) == "8");
  CHECK(capped(8, {{1, 1, 16}, {1, 1, 16}}) == "4 4");
  CHECK(capped(8, {{1, 1, 16}, {1, 1, 2}}) == "6 2");
  CHECK(capped(8, {{1, 1, 16}, {2, 1, 16}}) == "8 8");
}

TEST_CASE("who came first is served first, and nobody below what it needs") {
  CHECK(capped(8, {{1, 6, 8}, {1, 4, 8}}) == "8 -");
  CHECK(capped(8, {{1, 6, 8}, {1, 2, 8}}) == "6 2");
  CHECK(capped(3, {{1, 4, 8}, {1, 2, 8}}) == "- 3");
}

TEST_CASE("the trainers of an account share the account's cap") {
  CHECK(capped(0, {{1, 1, 16, "a"}, {2, 1, 16, "a"}, {3, 1, 16, "b"}}, 8) ==
        "4 4 8");
  CHECK(capped(0, {{1, 6, 8, "a"}, {2, 4, 8, "a"}}, 8) == "8 -");
  SECTION("within that of the user") {
    CHECK(capped(3, {{1, 1, 16, "a"}, {2, 1, 16, "a"}}, 8) == "3 3");
    CHECK(capped(6, {{1, 1, 16, "a"}, {1, 1, 16, "b"}, {2, 1, 16, "a"}}, 5) ==
          "3 3 2");
  }
  SECTION("and without an account there is none") {
    CHECK(capped(0, {{1, 1, 16}, {2, 1, 16}}, 8) == "16 16");
  }
}

World world_with(int leases_max, int per_user) {
  World w;
  auto config = World::settings("on");
  config.leases_max = leases_max;
  config.leases_per_user_max = per_user;
  w.brain.configure(config);
  return w;
}

TEST_CASE("no more leases than leases_max") {
  auto w = world_with(2, 0);
  w.holes("n[1-4]");
  w.base_job(7, 1, 4);
  w.look();
  CHECK(w.registers(7) == "welcome 7; offer n1->7; offer n2->7");
  w.takes(7, "n1", 101);
  w.takes(7, "n2", 102);
  CHECK(w.later(5) == "");
  // One that ends makes room for another, once it is gone.
  w.says(7, msg::LeaseEnded{"n1", 101, "lost"});
  CHECK(w.later(1) == "");
  w.end_of_lease(101);
  CHECK(w.later(1).find("offer") == 0);
}

TEST_CASE("no more leases for a user than leases_per_user_max") {
  auto w = world_with(0, 1);
  w.holes("n[1-4]");
  w.base_job(7, 1, 4);
  w.base_job(8, 1, 4);
  w.base_job(9, 1, 4, 2000);
  w.look();
  CHECK(w.registers(7) == "welcome 7; offer n1->7");
  CHECK(w.registers(8) == "welcome 8");
  CHECK(w.registers(9, {}, 2000) == "welcome 9; offer n2->9");
}

TEST_CASE("no more leases for an account than leases_per_account_max") {
  World w;
  auto config = World::settings("on");
  config.leases_per_account_max = 1;
  w.brain.configure(config);
  w.holes("n[1-4]");
  w.base_job(7, 1, 4);
  w.base_job(8, 1, 4, 2000);
  w.base_job(9, 1, 4, 3000);
  w.cluster.trainers[0].account = w.cluster.trainers[1].account = "physics";
  w.cluster.trainers[2].account = "chemistry";
  w.look();
  CHECK(w.registers(7) == "welcome 7; offer n1->7");
  CHECK(w.registers(8, {}, 2000) == "welcome 8");
  CHECK(w.registers(9, {}, 3000) == "welcome 9; offer n2->9");
}

TEST_CASE("which cap is reached is said") {
  World w;
  w.holes("n[1-4]");
  w.base_job(7, 1, 4);
  w.cluster.trainers[0].account = "physics";
  w.look();
  w.registers(7);
  auto const reached = [&](int all, int user, int account) {
    auto config = default_config();
    config.leases_max = all;
    config.leases_per_user_max = user;
    config.leases_per_account_max = account;
    return cap_reached(config, w.brain.leases(), w.brain.roster(),
                       {1000, "physics"});
  };
  CHECK(reached(0, 0, 0) == "");
  CHECK(reached(5, 5, 5) == "");
  CHECK(reached(4, 5, 5) == "leases_max (4)");
  CHECK(reached(5, 4, 5) == "leases_per_user_max (4)");
  CHECK(reached(5, 5, 4) == "leases_per_account_max (4)");
}

TEST_CASE("a cap that is lowered takes nodes back") {
  World w;
  w.holes("n[1-4]");
  w.running_trainer(7, 1, 4, {"n1", "n2", "n3", "n4"});
  auto config = World::settings("on");
  config.leases_per_user_max = 3;
  w.brain.configure(config);
  w.look();
  CHECK(w.later(1) == "back n4 of 7 (plan, 30s)");
}

}  // namespace
}  // namespace gleaner::daemon
