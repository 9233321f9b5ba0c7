// SPDX-License-Identifier: Apache-2.0
/// How problems and plans are written down, and what is refused.
#include "alloc/problem_json.hh"

#include <nlohmann/json.hpp>

#include "test/unit/alloc/cases.hh"

namespace gleaner::alloc {
namespace {

using nlohmann::json;

char const* const two_trainers = R"({
  "forward_looking_s": 60, "hole_s_min": 5, "trainers_waiting": 4,
  "nodes": [{"name": "n1"}, {"name": "n2", "hole_s": 300, "weight": 7},
            {"name": "n3", "idle_s": 12.5, "kind": 3}],
  "trainers": [
    {"id": "17", "nodes_min": 1, "nodes_max": 2, "nodes": ["n3", "n1"],
     "speed": [0, 1, 1.9], "speed_low": [0, 1, 1.5],
     "speed_high": [0, 1, 2], "nodes_tried": 1,
     "expand_s": 0.5, "shrink_s": 0.2},
    {"id": "18", "nodes_min": 2, "nodes_max": 3, "nodes": [],
     "usable": [0, 3], "speed": [0, 1, 1.7, 2.2], "expand_s": 1,
     "shrink_s": 0, "start_s": 3,
     "weight": 2, "work_left": 1e6, "deadline_s": -4}]})";

Problem read(json const& value) {
  auto problem = problem_from_json(value);
  if (!problem) FAIL(problem.error().message);
  return *problem;
}

std::string refusal(json const& value) {
  auto const problem = problem_from_json(value);
  return problem ? "accepted" : problem.error().message;
}

TEST_CASE("a written problem has a field for each of the problem's") {
  auto const problem = read(json::parse(two_trainers));
  CHECK(problem.forward_looking_s == 60);
  CHECK(problem.trainers_waiting == 4);
  CHECK(problem.nodes[0].hole_s == std::nullopt);
  CHECK(problem.nodes[1].hole_s == 300);
  CHECK(problem.nodes[1].weight == 7);
  CHECK(problem.nodes[2].idle_s == 12.5);
  CHECK(problem.nodes[1].kind == 0);
  CHECK(problem.nodes[2].kind == 3);
  CHECK(problem.trainers[0].nodes == std::vector<NodeIndex>{2, 0});
  CHECK(problem.trainers[0].deadline_s == std::nullopt);
  CHECK(problem.trainers[0].weight == 1);
  CHECK(problem.trainers[0].usable.empty());
  CHECK(problem.trainers[0].speed_low == std::vector<double>{0, 1, 1.5});
  CHECK(problem.trainers[0].speed_high == std::vector<double>{0, 1, 2});
  CHECK(problem.trainers[0].nodes_tried == 1);
  CHECK(problem.trainers[1].speed_low.empty());
  CHECK(problem.trainers[1].usable == std::vector<std::uint32_t>{0, 3});
  CHECK(problem.trainers[1].start_s == 3);
  CHECK(problem.trainers[1].work_left == 1e6);
  CHECK(problem.trainers[1].deadline_s == -4);
}

TEST_CASE("what is written is what was read, to the last bit") {
  auto value = json::parse(two_trainers);
  value["trainers"][0]["speed"][2] = 1.9000000000000001e-7;
  value["nodes"][2]["idle_s"] = 1.0 / 3;
  auto const text = problem_to_json(read(value)).dump();
  CHECK(json::parse(text) == value);
}

TEST_CASE("a problem that cannot be meant is refused, naming the field") {
  struct Case {
    char const* path;
    json value;
    char const* why;
  };
  for (auto const& [path, value, why] : {
           Case{"/nodes", 3, "nodes: expected a list, got 3"},
           Case{"/nodes/0", "n1", "nodes[0]: expected an object, got \"n1\""},
           Case{"/nodes/0/name", "", "nodes[0].name: expected a text, got"},
           Case{"/nodes/1/name", "n1", "nodes[1].name: 'n1' is there twice"},
           Case{"/nodes/1/hole_s", -1,
                "nodes[1].hole_s: expected a number that is not negative"},
           Case{"/nodes/1/color", "red", "nodes[1].color: unknown"},
           Case{"/nodes/1/kind", -1,
                "nodes[1].kind: expected a whole number from 0 to 1000000000"},
           Case{"/nodes/1/kind", "gpu",
                "nodes[1].kind: expected a whole number from 0 to 1000000000"},
           Case{"/trainers/1/usable", 3,
                "trainers[1].usable: expected a list of one or more kinds"},
           Case{"/trainers/1/usable", json::array(),
                "trainers[1].usable: expected a list of one or more kinds"},
           Case{"/trainers/1/usable/0", "gpu",
                "trainers[1].usable[0]: expected a whole number from 0 to"},
           Case{"/trainers/1/usable/1", 1.5,
                "trainers[1].usable[1]: expected a whole number from 0 to"},
           Case{"/trainers/1/usable/1", 0,
                "trainers[1].usable[1]: expected a kind greater than the one"},
           Case{"/trainers/1/id", "17", "trainers[1].id: '17' is there twice"},
           Case{"/trainers/0/nodes_min", 0,
                "trainers[0].nodes_min: expected a whole number from 1"},
           Case{"/trainers/1/nodes_max", 1,
                "trainers[1].nodes_max: expected a whole number from 2"},
           Case{"/trainers/0/nodes/0", "n9",
                "trainers[0].nodes[0]: expected one of the nodes, got \"n9\""},
           Case{"/trainers/1/nodes/0", "n1",
                "trainers[1].nodes[0]: expected a node that nobody else has"},
           Case{"/trainers/0/speed/0", 1,
                "trainers[0].speed[0]: expected 0, for no nodes"},
           Case{"/trainers/0/speed/3", 2, "trainers[0].speed: expected 3 num"},
           Case{"/trainers/0/speed_high/3", 2,
                "trainers[0].speed_high: expected 3 num"},
           Case{"/trainers/0/speed/1", "fast",
                "trainers[0].speed[1]: expected a number, got \"fast\""},
           Case{"/forward_looking_s", nullptr,
                "forward_looking_s: expected a number, got null"},
           Case{"/speed_of_light", 1, "speed_of_light: unknown"},
       }) {
    INFO(path);
    auto changed = json::parse(two_trainers);
    changed[json::json_pointer(path)] = value;
    CHECK_THAT(refusal(changed), Catch::StartsWith(why));
  }
  CHECK(refusal(json::array()) == ": expected an object, got []");
}

TEST_CASE("a plan is written as node names by trainer") {
  auto const problem = read(json::parse(two_trainers));
  Plan const plan{{2}, {0, 1}};
  auto const value = plan_to_json(problem, plan);
  CHECK(value.dump() == R"({"17":["n3"],"18":["n1","n2"]})");
  CHECK(*plan_from_json(problem, json::parse(value.dump())) == plan);
}

TEST_CASE("a plan for another problem is refused") {
  auto const problem = read(json::parse(two_trainers));
  struct Case {
    char const* text;
    char const* why;
  };
  for (auto const& [text, why] : {
           Case{R"({"17":[]})", "plan.18: expected a list of nodes"},
           Case{R"({"17":[],"18":[],"19":[]})", "plan.19: unknown"},
           Case{R"({"17":["n7"],"18":[]})",
                "plan.17[0]: expected one of the nodes"},
           Case{R"({"17":["n1"],"18":["n1"]})",
                "plan.18[0]: expected a node that nobody else has"},
       }) {
    INFO(text);
    auto const plan = plan_from_json(problem, json::parse(text));
    REQUIRE(!plan);
    CHECK_THAT(plan.error().message, Catch::StartsWith(why));
  }
}

}  // namespace
}  // namespace gleaner::alloc
