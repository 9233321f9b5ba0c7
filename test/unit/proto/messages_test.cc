// SPDX-License-Identifier: Apache-2.0
/// What each message looks like, and what a wrong one is told.
#include <cmath>

#include "proto/daemon_messages.hh"
#include "proto/runtime_messages.hh"
#include "test/unit/catch.hh"

namespace gleaner::msg {
namespace {

using nlohmann::json;

TEST_CASE("a message is an object with its type") {
  CHECK(to_json(ToMember(Quiesce{7})) ==
        json({{"type", "Quiesce"}, {"generation", 7}}));
  CHECK(to_json(FromCoordinator(LeaseFailed{"n3", "busy"})) ==
        json({{"type", "LeaseFailed"}, {"node", "n3"}, {"why", "busy"}}));
}

TEST_CASE("what was written reads back the same") {
  Resume resume;
  resume.generation = 4;
  resume.members = {{1, "n1", "h:1"}, {2, "n2", "h:2"}};
  resume.complete = 10;
  resume.donor = 1;
  resume.lacking = {2};
  resume.plan = StepPlan{11, {1, 2, 3}, {{3}}};
  auto const parsed = parse_to_member(to_json(ToMember(resume)));
  REQUIRE(parsed);
  auto const& again = std::get<Resume>(*parsed);
  CHECK(again.members == resume.members);
  CHECK(again.plan == resume.plan);
  CHECK(again.lacking == resume.lacking);
}

TEST_CASE("nothing is null: no plan, no end of a hole, a loss that is NaN") {
  CHECK(
      to_json(FromMember(Status{3, true, 9, std::nullopt}))["begun"].is_null());
  Progress progress;
  progress.loss = std::nan("");
  auto const parsed =
      parse_from_coordinator(to_json(FromCoordinator(progress)));
  REQUIRE(parsed);
  CHECK(std::isnan(std::get<Progress>(*parsed).loss));
}

TEST_CASE("a snapshot crosses with all it holds") {
  Snapshot snapshot;
  snapshot.kinds = {{{8, 16000, {{"gpu:a", 2}}}, {"fast"}, {"main"}, {"n1"}}};
  snapshot.holes = {{"n1", 0, true, 12.5, 7, 1}};
  snapshot.shared = {{"n2", 0, {2, 4000, {{"gpu:a", 1}}}, 3}};
  PendingJob pending;
  pending.job = 9;
  pending.tasks = 3;
  pending.each = {4, 2000, {{"gpu", 1}}};
  pending.constraint = "fast|big";
  pending.required = *NodeSet::parse("n[2-3]");
  snapshot.pending = {pending};
  snapshot.reservations["r"] = *NodeSet::parse("n[1-8]");
  auto const parsed =
      parse_from_plugin(to_json(FromPlugin(Holes{snapshot, 0.1})));
  REQUIRE(parsed);
  CHECK(std::get<Holes>(*parsed).snapshot == snapshot);
}

TEST_CASE("a node of a kind that a snapshot does not have is refused") {
  Snapshot snapshot;
  snapshot.holes = {{"n1", 1, true, 12.5, 7, 1}};
  snapshot.kinds.resize(1);
  auto const parsed =
      parse_from_plugin(to_json(FromPlugin(Holes{snapshot, 0.1})));
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().message ==
        "snapshot.holes: node n1 is of kind 1, there are 1");
}

TEST_CASE("a wrong message is told which field and what was expected") {
  struct Row {
    char const* text;
    char const* why;
  };
  auto const row = GENERATE(
      Row{R"({"type":"Quiesce"})", "Quiesce.generation: missing"},
      Row{R"({"type":"Quiesce","generation":"x"})",
          "Quiesce.generation: expected a whole number"},
      Row{R"({"type":"Quiesce","generation":-1})",
          "expected a whole number from 0 to 18446744073709551615, got -1"},
      Row{R"({"type":"Quiesce","generation":1.5})", "got 1.5"},
      Row{R"({"type":"Offer","generation":1,"members":[1,"a"],"joiners":[],
              "checkpoint":""})",
          "Offer.members[1]: expected"},
      Row{R"({"type":"Offer","generation":1,"members":3})",
          "Offer.members: expected a list, got 3"},
      Row{R"({"type":"Quit"})", "unknown message type 'Quit'"},
      Row{R"({"type":7})", "message.type: missing"},
      Row{R"([])", "message: expected an object"});
  INFO(row.text);
  auto const parsed = parse_to_member(json::parse(row.text));
  REQUIRE_FALSE(parsed);
  INFO(parsed.error().message);
  CHECK(parsed.error().message.find(row.why) != std::string::npos);
}

TEST_CASE("an unknown field is ignored: a newer peer may say more") {
  CHECK(parse_to_member(
      json::parse(R"({"type":"Quiesce","generation":1,"why":"loss"})")));
}

}  // namespace
}  // namespace gleaner::msg
