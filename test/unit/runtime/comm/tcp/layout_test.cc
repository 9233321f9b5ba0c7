// SPDX-License-Identifier: Apache-2.0
/// Which members share a node, who is whose neighbour, and who needs whom?
#include "runtime/comm/tcp/layout.hh"

#include <algorithm>

#include "runtime/comm/tcp/ring_sum.hh"
#include "test/unit/catch.hh"

namespace gleaner::comm {
using namespace tcp;

namespace {

/// "s1 n4" is a member on node n4 at switch s1.
std::vector<Contact> members(std::vector<std::string> const& texts) {
  std::vector<Contact> contacts;
  for (auto const& text : texts) {
    auto const blank = text.find(' ');
    Contact contact{
        "10.0.0.1",           4000, "a1", "", text.substr(blank + 1),
        text.substr(0, blank)};
    contacts.push_back(contact);
  }
  return contacts;
}

using Nodes = std::vector<std::vector<int>>;

}  // namespace

TEST_CASE(
    "a ring goes through one switch after the other, whatever ranks are") {
  auto const contacts = members({"s1 n1", "s2 n5", "s1 n2", "s2 n6", "s1 n3"});
  CHECK(Layout::of(contacts, 0).nodes == Nodes{{0}, {2}, {4}, {1}, {3}});
  CHECK(Layout::of(contacts, 1).node == 3);
}

TEST_CASE("without places a ring goes by the names of nodes") {
  auto const contacts = members({" n3", " n1", " n2"});
  CHECK(Layout::of(contacts, 0).nodes == Nodes{{1}, {2}, {0}});
}

TEST_CASE("members of a node sit together, the lowest rank speaks for it") {
  auto const contacts = members({"s2 n9", "s1 n1", "s2 n9", "s1 n1", "s1 n2"});
  auto const layout = Layout::of(contacts, 2);
  CHECK(layout.nodes == Nodes{{1, 3}, {4}, {0, 2}});
  CHECK(layout.node == 2);
  CHECK(layout.seat == 1);
  CHECK(!layout.leads());
  CHECK(layout.leader(2) == 0);
}

TEST_CASE("who needs a connection to another node is needed by it") {
  for (int count = 2; count <= 70; ++count)
    for (int node = 0; node < count; ++node)
      for (int const other : partners(node, count)) {
        auto const theirs = partners(other, count);
        INFO(node << " and " << other << " of " << count);
        REQUIRE(other != node);
        REQUIRE(std::count(theirs.begin(), theirs.end(), node) == 1);
      }
}

TEST_CASE("a member of 512 has connections to ten others") {
  for (int const node : {0, 1, 255, 511})
    CHECK(partners(node, 512).size() <= 10);
  CHECK(partners(0, 1000).size() <= 12);
}

TEST_CASE("contact data that cannot be read are refused, and quoted") {
  Contact const contact{"10.0.0.7", 41000, "0001f", "abc", "n7 boot", "s1.n7"};
  auto const read = Contact::parse(contact.text());
  REQUIRE(read);
  CHECK(read->text() == contact.text());
  CHECK(read->topology == "s1.n7");
  for (auto const* text :
       {"", "tcp1", "tcp1\n10.0.0.7\n0\na\nb\nc\nd",
        "tcp1\n10.0.0.7\n70000\na\nb\nc\nd", "tcp1\n10.0.0.7\n1x\na\nb\nc\nd",
        "tcp2\n10.0.0.7\n41000\na\nb\nc\nd",
        "tcp1\n10.0.0.7\n41000\na\nb\nc\nd\ne"}) {
    auto const refused = Contact::parse(text);
    INFO(text);
    REQUIRE(!refused);
    CHECK(refused.error().code == Errc::invalid_argument);
  }
}

TEST_CASE("a node's name cannot break its contact data") {
  Contact contact{"::1", 41000, "0001f", "abc", "n7\nb\xff", "s1"};
  auto const read = Contact::parse(contact.text());
  REQUIRE(read);
  CHECK(read->node == "n7?b?");
}

TEST_CASE("what a node of the ring receives is what its neighbour sends") {
  for (int size : {2, 3, 5})
    for (std::size_t n : {1, 4, 1000, 2000003}) {
      std::vector<RingRounds> nodes;
      for (int place = 0; place < size; ++place)
        nodes.emplace_back(RingRounds::Kind::allreduce, place,
                           RingRounds::equal_chunks(size, n, 4));
      std::size_t all = 0;
      for (int round = 0; round < nodes[0].rounds(); ++round)
        for (int place = 0; place < size; ++place) {
          auto const sent =
              nodes[std::size_t((place + size - 1) % size)].sent(round);
          auto const received = nodes[std::size_t(place)].received(round);
          REQUIRE(sent.offset == received.offset);
          REQUIRE(sent.bytes == received.bytes);
          all += received.bytes;
        }
      CHECK(all == 2 * std::size_t(size - 1) * n * 4);
    }
}

}  // namespace gleaner::comm
