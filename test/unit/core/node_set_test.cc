// SPDX-License-Identifier: Apache-2.0
/// The notation NodeSet reads and writes.  Refusals are part of the grammar.
#include "core/node_set.hh"

#include <catch2/catch.hpp>

namespace gleaner {
namespace {

TEST_CASE("a node set reads what Slurm writes") {
  struct Row {
    char const* text;
    std::size_t size;
  };
  auto row = GENERATE(Row{"", 0}, Row{"n1", 1}, Row{"n[1-3]", 3},
                      Row{"n[08-10]", 3}, Row{"n[1,5-6]", 3},
                      Row{"login,n[1-2]", 3});
  INFO(row.text);
  auto nodes = NodeSet::parse(row.text);
  REQUIRE(nodes);
  CHECK(nodes->size() == row.size);
}

TEST_CASE("a node set refuses what Slurm would refuse") {
  auto text = GENERATE("n[1-3", "n[a-b]", "n[]", "n[1-]");
  INFO(text);
  CHECK_FALSE(NodeSet::parse(text));
}

TEST_CASE("a node set reads back what it writes") {
  auto nodes = *NodeSet::parse("n[01-04]");
  nodes.erase("n02");
  CHECK(nodes.to_string() == "n01,n03,n04");
  CHECK(NodeSet::parse(nodes.to_string())->size() == 3);
}

}  // namespace
}  // namespace gleaner
