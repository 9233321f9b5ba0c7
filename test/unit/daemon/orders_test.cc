// SPDX-License-Identifier: Apache-2.0
/// What an administrator can order, and what then happens to leases.
#include "daemon/decisions/orders.hh"

#include "test/unit/daemon/world.hh"

namespace gleaner::daemon {
namespace {

/// "mode on, drained n[1-2]" after these orders, or the first refusal.  The
/// lease partition has n[1-8].
std::string after(std::vector<msg::AdminRequest> const& requests,
                  std::string const& mode = "on",
                  std::string const& drained = "") {
  auto config = default_config();
  config.mode = parse_choice<Config::Mode>(mode).value();
  config.drained = drained;
  Orders orders;
  orders.configure(config);
  for (auto const& request : requests)
    if (auto done = orders.apply(request, *NodeSet::parse("n[1-8]")); !done)
      return done.error().message;
  // What is saved and read again is the same.
  Orders again;
  again.configure(config);
  REQUIRE(again.restore(orders.to_json()));
  CHECK(again.mode() == orders.mode());
  CHECK(again.drained() == orders.drained());
  return orders.mode() + " " + orders.drained();
}

TEST_CASE("orders add up, and are undone by name or all together") {
  CHECK(after({}) == "on ");
  CHECK(after({{"drain", "n[1-2]"}, {"drain", "n4"}}) == "on n[1-2,4]");
  CHECK(after({{"drain", "n[1-4]"}, {"resume", "n2"}}) == "on n[1,3-4]");
  CHECK(after({{"drain", "n[1-4]"}, {"resume", ""}}) == "on ");
  CHECK(after({{"drain", ""}}) == "on all");
  CHECK(after({{"drain", ""}, {"resume", ""}}) == "on ");
  CHECK(after({{"observe", ""}}) == "observe ");
  CHECK(after({{"observe", ""}, {"on", ""}}) == "on ");
  CHECK(after({{"drain", "n1"}, {"observe", ""}, {"on", ""}}) == "on n1");
}

TEST_CASE("gleaner.yaml and the command: either can forbid") {
  CHECK(after({{"drain", "n1"}}, "on", "n[3-4]") == "on n[1,3-4]");
  CHECK(after({}, "observe") == "observe ");
  CHECK(after({{"on", ""}}, "observe") ==
        "gleaner.yaml says mode: observe [set mode: on there, and send "
        "gleanerd SIGHUP]");
  CHECK(after({{"resume", "n3"}}, "on", "n3") ==
        "gleaner.yaml has 'n3' in drained [take it out there, and send "
        "gleanerd SIGHUP]");
  CHECK(after({{"resume", ""}}, "on", "n3") == "on n3");
}

TEST_CASE("an order that cannot be meant is refused and changes nothing") {
  CHECK(after({{"drain", "n9"}}) ==
        "'n9' is no node of the lease partition (it is never lent) [see sinfo "
        "for the names]");
  CHECK(after({{"drain", "n["}}).find("n[") != std::string::npos);
  CHECK(after({{"resume", "n2"}}) == "'n2' is not drained");
  CHECK(after({{"drain", ""}, {"resume", "n2"}}) ==
        "all nodes are drained [resume without nodes first]");
  CHECK(after({{"observe", "n2"}}).find("is for all nodes") !=
        std::string::npos);
  CHECK(after({{"off", ""}}) ==
        "there is no order 'off' [drain, resume, observe or on]");
  Orders orders;
  REQUIRE_FALSE(orders.apply({"drain", "n1,n9"}, *NodeSet::parse("n1")));
  CHECK(orders.drained() == "");
}

TEST_CASE("while the nodes are not known any may be drained") {
  Orders orders;
  CHECK(orders.apply({"drain", "n9"}, {}));
  CHECK(orders.is_drained("n9"));
}

TEST_CASE("a file of orders that nobody wrote is refused") {
  for (auto const* text :
       {"", "[]", "{}", R"({"observe":1,"all_drained":false,"drained":""})",
        R"({"observe":true,"all_drained":false,"drained":"n["})"}) {
    CAPTURE(text);
    Orders orders;
    CHECK_FALSE(orders.restore(nlohmann::json::parse(text, nullptr, false)));
  }
}

// --- what follows -----------------------------------------------------------

TEST_CASE("drained nodes come back at once, and are not lent again") {
  World w;
  w.holes("n[1-3]");
  w.running_trainer(7, 1, 3, {"n1", "n2", "n3"});
  CHECK(w.order("drain", "n[1-2]") == "back n[1-2] of 7 (drain, 1s)");
  w.says(7, msg::LeaseEnded{"n1", 101, "released"});
  w.end_of_lease(101);
  CHECK(w.later(0.5) == "");
  CHECK(w.later(0.5) == "end 102");  // the trainer did not leave it
  w.end_of_lease(102);
  CHECK(w.later(5) == "");
  CHECK(w.brain.lendable() == 0);
  CHECK(w.order("resume", "n1") == "offer n1->7");
}

TEST_CASE("observe takes every node back; on lends them again") {
  World w;
  w.holes("n[1-2]");
  w.running_trainer(7, 1, 3, {"n1", "n2"});
  CHECK(w.order("observe") == "back n[1-2] of 7 (observe, 1s)");
  CHECK(w.later(1) == "end 101; end 102");
  w.end_of_lease(101);
  w.end_of_lease(102);
  CHECK(w.later(5) == "");
  CHECK(w.brain.would_lend() == 2);
  CHECK(w.brain.lendable() == 2);
  CHECK(w.order("on") == "offer n1->7; offer n2->7");
}

TEST_CASE("mode: observe read again is an order like any") {
  World w;
  w.holes("n[1-2]");
  w.running_trainer(7, 1, 3, {"n1", "n2"});
  w.brain.configure(World::settings("observe"));
  CHECK(w.decide() == "back n[1-2] of 7 (observe, 1s)");
}

TEST_CASE("a large give_back_s does not delay an order") {
  auto config = World::settings("on");
  config.give_back_s = 300;
  World w;
  w.brain.configure(config);
  w.holes("n1");
  w.running_trainer(7, 1, 3, {"n1"});
  CHECK(w.order("drain") == "back n1 of 7 (drain, 1s)");
}

TEST_CASE("a node that was to come back later comes back now") {
  World w;
  w.holes("n[1-2]");
  w.running_trainer(7, 1, 3, {"n1", "n2"});
  w.base_job(8, 1, 1);
  w.look();
  w.registers(8);
  CHECK(w.later(1) == "back n2 of 7 (plan, 30s)");
  CHECK(w.order("drain") == "back n[1-2] of 7 (drain, 1s)");
  CHECK(w.later(1) == "end 101; end 102");
}

TEST_CASE("a ticket that is out when nodes are drained becomes no lease") {
  World w;
  w.holes("n1");
  w.base_job(7, 1, 3);
  w.look();
  CHECK(w.registers(7) == "welcome 7; offer n1->7");
  auto const nonce = w.brain.leases().on_node("n1")->nonce;
  CHECK(w.order("drain") == "back n1 of 7 (drain, 1s)");
  w.lease(101, "n1", 7, nonce);  // the srun was under way
  CHECK(w.later(0.5) == "");
  CHECK(w.later(0.5) == "end 101");
}

TEST_CASE("in observe mode leases do not outlive their training or their use") {
  World w("observe");
  w.holes("n[1-2]");
  w.base_job(7, 1, 3);
  w.lease(101, "n1", 7, "t1");
  w.lease(102, "n2", 6, "t2");  // of a training that is no more
  // Coordinators get a moment to come back, so that they can be asked.
  CHECK(w.look() == "end 102");
  CHECK(w.registers(7, {{"n1", 101}}) ==
        "welcome 7; back n1 of 7 (observe, 1s)");
  CHECK(w.later(1) == "end 101");
}

TEST_CASE("in observe mode a trainer that does not come back is not awaited") {
  World w("observe");
  w.holes("n1");
  w.base_job(7, 1, 3);
  w.lease(101, "n1", 7, "t1");
  CHECK(w.look() == "");
  CHECK(w.later(3) == "");
  CHECK(w.later(1) == "end 101");
}

TEST_CASE(
    "leases on nodes of a coming reservation end before it, even without us") {
  World w;
  w.holes("n[1-2]");
  w.running_trainer(7, 1, 3, {"n1", "n2"});
  w.hole("n1").end_s = w.now + 60;  // scontrol create reservation
  CHECK(w.look() == "");
  CHECK(w.later(58) == "back n1 of 7 (planned_start, 1s)");
}

TEST_CASE("observe records what it would lend when that changes, not always") {
  World w("observe");
  w.holes("n[1-4]");
  w.base_job(7, 1, 2);
  w.look();
  CHECK(w.recorded("observed") == 1);
  w.registers(7);
  w.later(10);
  CHECK(w.brain.would_lend() == 2);
  CHECK(w.recorded("observed") == 2);
  CHECK(w.records.back().data.dump() ==
        R"({"lendable":4,"kept_for_jobs":0,"would_lend":2,"trainers":1})");
  for (int i = 0; i < 20; ++i) w.later(1);
  CHECK(w.recorded("observed") == 2);
}

}  // namespace
}  // namespace gleaner::daemon
