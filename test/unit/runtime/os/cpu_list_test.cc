// SPDX-License-Identifier: Apache-2.0
/// Lists of hardware threads, and where processes run.
#include "runtime/os/cpu_list.hh"

#include <unistd.h>

#include "runtime/agent/places.hh"
#include "test/unit/catch.hh"

namespace gleaner::os {
namespace {

TEST_CASE("a list of hardware threads is read and written as Linux does") {
  for (auto const* list : {"0", "0-1", "0-3,8,10-11", "63-64", "0,127", ""}) {
    INFO(list);
    CHECK(cpu_list(cpu_mask(list)) == list);
  }
  CHECK(cpu_list(cpu_mask("5,4,3")) == "3-5");
  CHECK(cpu_mask("0-2") == std::vector<unsigned long>{7});
}

TEST_CASE("what is no such list names nothing") {
  for (auto const* list :
       {"a", "1,", "1-", "3-1", "-1", "1,,2", "0-99999999"}) {
    INFO(list);
    CHECK(cpu_mask(list).empty());
  }
}

TEST_CASE("a process that is gone runs nowhere") {
  CHECK(affinity_of(0) == affinity_of(::getpid()));
  CHECK(affinity_of(0) != "");
  CHECK(affinity_of(1 << 30) == "");
}

TEST_CASE("a member that replaces another takes its place") {
  agent::Places places;
  CHECK(places.take(7) == 0);
  CHECK(places.take(8) == 1);
  places.leave(7);
  CHECK(places.take(9) == 0);
  CHECK(places.count() == 2);
  places.leave(8);
  places.leave(9);
  CHECK(places.take(10) == 0);
  CHECK(places.count() == 2);
}

}  // namespace
}  // namespace gleaner::os
