// SPDX-License-Identifier: Apache-2.0
/// How nodes and parts of nodes are named.
#include "core/place.hh"

#include "core/node_set.hh"
#include "test/unit/catch.hh"

namespace gleaner {

TEST_CASE("a place is a node, or a numbered part of one") {
  CHECK(*parse_place("n3") == PlaceName{"n3", std::nullopt});
  CHECK(*parse_place("n3+0") == PlaceName{"n3", 0});
  CHECK(*parse_place("gpu-07.site+12") == PlaceName{"gpu-07.site", 12});
  for (auto const* text : {"n3", "n3+0", "n3+15"})
    CHECK(to_string(*parse_place(text)) == text);
}

TEST_CASE("what is no place is quoted") {
  for (auto const* text : {"", "+1", "n3+", "n3+x", "n3+-1", "n3+01", "n3+1+2",
                           "n3+1000", "n3+99999999999"}) {
    CAPTURE(text);
    auto const place = parse_place(text);
    REQUIRE_FALSE(place);
    CHECK(place.error().message.starts_with("'" + std::string(text) + "'"));
  }
}

TEST_CASE("Slurm knows the node of a place") {
  CHECK(node_of("n3") == "n3");
  CHECK(node_of("n3+1") == "n3");
  CHECK(is_part("n3+1"));
  CHECK_FALSE(is_part("n3"));
}

TEST_CASE("a set of places is written and read like one of nodes") {
  NodeSet places;
  for (auto const* name : {"n3+0", "n3+1", "n3+10", "n4", "n3"})
    places.insert(name);
  CHECK(places.to_string() == "n[3-4],n3+[0-1],n3+10");
  CHECK(NodeSet::parse(places.to_string())->to_string() == places.to_string());
}

}  // namespace gleaner
