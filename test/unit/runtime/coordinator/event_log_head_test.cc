// SPDX-License-Identifier: Apache-2.0
/// What a part of events.jsonl repeats of the parts before it.
#include "runtime/coordinator/event_log_head.hh"

#include "test/unit/catch.hh"

namespace gleaner::coordinator {
namespace {

using nlohmann::json;

json fields_after(std::initializer_list<char const*> events) {
  EventLogHead head;
  for (auto const* event : events) head.take(json::parse(event));
  return head.fields();
}

TEST_CASE("it says who trains, since when, and how far the training is") {
  auto const fields = fields_after({
      R"({"t":1,"event":"start","job":7,"argv":["x"]})",
      R"({"t":2,"event":"loaded","dataset_size":100})",
      R"({"t":3,"event":"step","step":5,"pass":1,"world":2})",
  });
  CHECK(fields == json::parse(R"({"job":7,"argv":["x"],"started":1,
      "dataset_size":100,"step":5,"pass":1})"));
}

TEST_CASE("it says which generation trains, and which nodes are there") {
  auto const fields = fields_after({
      R"({"t":1,"event":"node_joined","node":"n1"})",
      R"({"t":2,"event":"node_joined","node":"n2"})",
      R"({"t":3,"event":"generation","generation":4,"nodes":["n1"]})",
      R"({"t":4,"event":"generation","generation":5,"nodes":["n1","n2"]})",
      R"({"t":5,"event":"node_left","node":"n1"})",
  });
  CHECK(fields.at("nodes") == json::parse(R"({"n2":2})"));
  CHECK(fields.at("generation").at("generation") == 5);
}

TEST_CASE("after a rollback nothing trains, from an earlier step") {
  auto const fields = fields_after({
      R"({"t":3,"event":"generation","generation":4,"nodes":["n1"]})",
      R"({"t":3,"event":"step","step":5,"pass":1})",
      R"({"t":4,"event":"rollback","to_step":3})",
  });
  CHECK_FALSE(fields.contains("generation"));
  CHECK(fields.at("step") == 3);
}

TEST_CASE("a run that begins again knows nothing of the last one's nodes") {
  auto const fields = fields_after({
      R"({"t":1,"event":"node_joined","node":"n1"})",
      R"({"t":2,"event":"start","job":8})",
  });
  CHECK(fields == json::parse(R"({"job":8,"started":2})"));
}

}  // namespace
}  // namespace gleaner::coordinator
