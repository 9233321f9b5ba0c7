// SPDX-License-Identifier: Apache-2.0
/// Who gives way when many connect and say nothing.
#include "proto/strangers.hh"

#include "test/unit/catch.hh"

namespace gleaner::proto {
namespace {

TEST_CASE("while there is room nobody gives way") {
  Strangers strangers(3);
  CHECK_FALSE(strangers.add(1, "a"));
  CHECK_FALSE(strangers.add(2, "a"));
  CHECK_FALSE(strangers.add(3, "b"));
  CHECK(strangers.size() == 3);
}

TEST_CASE("of the address that has the most, the oldest gives way") {
  Strangers strangers(4);
  strangers.add(1, "honest");
  strangers.add(2, "flood");
  strangers.add(3, "flood");
  strangers.add(4, "other");
  CHECK(strangers.add(5, "flood") == 2);
  CHECK(strangers.add(6, "new") == 3);
  CHECK(strangers.size() == 4);
}

TEST_CASE("a flood from one address throws nobody else out") {
  Strangers strangers(128);
  strangers.add(1, "honest");
  for (Strangers::Id id = 2; id < 5000; ++id)
    CHECK(strangers.add(id, "flood").value_or(2) != 1);
  CHECK(strangers.size() == 128);
}

TEST_CASE("who has proved who he is no longer counts") {
  Strangers strangers(2);
  strangers.add(1, "a");
  strangers.add(2, "a");
  strangers.remove(1);
  strangers.remove(1);
  CHECK_FALSE(strangers.add(3, "a"));
  CHECK(strangers.add(4, "b") == 2);
}

TEST_CASE("an address is a peer without its port") {
  CHECK(address_of_peer("10.0.0.7:41212") == "10.0.0.7");
  CHECK(address_of_peer("fe80::1:41212") == "fe80::1");
  CHECK(address_of_peer("unknown") == "unknown");
}

}  // namespace
}  // namespace gleaner::proto
