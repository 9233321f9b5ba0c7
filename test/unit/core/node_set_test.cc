// SPDX-License-Identifier: Apache-2.0
/// The notation NodeSet reads and writes.  Refusals are part of the grammar.
#include "core/node_set.hh"

#include "test/unit/catch.hh"

namespace gleaner {
namespace {

TEST_CASE("a node set reads what Slurm writes") {
  struct Row {
    char const* text;
    std::size_t size;
    char const* shortest;
  };
  auto const row = GENERATE(
      Row{"", 0, ""}, Row{"n1", 1, "n1"}, Row{"n[1-3]", 3, "n[1-3]"},
      Row{"n[08-10]", 3, "n[08-10]"}, Row{"n[1,5-6]", 3, "n[1,5-6]"},
      Row{"n2,n1,n3", 3, "n[1-3]"}, Row{"n1,n01", 2, "n1,n01"},
      Row{"n9,n10", 2, "n9,n10"}, Row{"login,n[1-2]", 3, "login,n[1-2]"},
      Row{"gpu-a.site", 1, "gpu-a.site"}, Row{"7", 1, "7"},
      // Not "[7-8]", which is no node list.
      Row{"7,8", 2, "7,8"});
  INFO(row.text);
  auto const nodes = NodeSet::parse(row.text);
  REQUIRE(nodes);
  CHECK(nodes->size() == row.size);
  CHECK(nodes->to_string() == row.shortest);
  CHECK(NodeSet::parse(nodes->to_string())->to_string() == row.shortest);
}

TEST_CASE("a node set refuses what Slurm would refuse, quoting the item") {
  auto const* const text = GENERATE(
      "n[1-3", "n[a-b]", "n[]", "n[1-]", "n[3-1]", ",n1", "n1 n2", "n[1-2]x",
      "[1-2]", "n[0-65536]", "n[0-99999999]", "n[1-9999999999]", "n$1");
  INFO(text);
  auto const nodes = NodeSet::parse(text);
  REQUIRE_FALSE(nodes);
  CHECK(nodes.error().code == Errc::invalid_argument);
  CHECK(nodes.error().message.find("cannot read node list item '") == 0);
}

TEST_CASE("a name is no longer than a host's can be") {
  // A million names of a megabyte would be all of the memory.
  std::string const longest(255, 'n');
  CHECK(NodeSet::parse(longest));
  CHECK_FALSE(NodeSet::parse(longest + "n"));
  CHECK_FALSE(NodeSet::parse(longest + "[1-2]"));
  CHECK(NodeSet::parse(longest.substr(2) + "[01-99]"));
  CHECK_FALSE(NodeSet::parse(longest.substr(2) + "[1-100]"));
  auto const refused = NodeSet::parse(std::string(1 << 20, 'n'));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.size() < 200);
}

TEST_CASE("a node set changes node by node") {
  auto nodes = *NodeSet::parse("n[01-04]");
  nodes.erase("n02");
  CHECK(nodes.to_string() == "n[01,03-04]");
  CHECK(nodes.contains("n03"));
  CHECK_FALSE(nodes.contains("n3"));
}

TEST_CASE("a copy of a node set changes alone, on either side") {
  NodeSet a{"n1", "n2"};
  auto b = a;
  b.insert("n3");
  a.erase("n1");
  auto c = b;
  CHECK(a.to_string() == "n2");
  CHECK(c.to_string() == "n[1-3]");
  CHECK(b == c);
  b.erase("n3");
  CHECK(b != c);
  b.insert("n3");
  CHECK(b == c);
  CHECK((NodeSet{"n1"} < NodeSet{"n1", "n2"}));
}

}  // namespace
}  // namespace gleaner
