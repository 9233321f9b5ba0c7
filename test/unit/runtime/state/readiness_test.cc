// SPDX-License-Identifier: Apache-2.0
/// When a bucket of gradients may be reduced.
#include "runtime/state/readiness.hh"

#include "test/unit/catch.hh"

namespace gleaner::state {

namespace {

/// "a" lies in bucket 1, "b" in 0 and 1, "c" in 0, "none" nowhere.
Readiness example() {
  Readiness readiness;
  readiness.lay_out(2, {{"a", {1}}, {"b", {0, 1}}, {"c", {0}}, {"none", {}}});
  return readiness;
}

}  // namespace

TEST_CASE("a bucket is ready when all parameters in it are") {
  auto readiness = example();
  CHECK_FALSE(readiness.mark("c"));
  CHECK_FALSE(readiness.ready(0));
  CHECK(readiness.mark("b"));
  CHECK(readiness.ready(0));
  CHECK_FALSE(readiness.ready(1));
  CHECK(readiness.mark("a"));
  CHECK(readiness.ready(1));
}

TEST_CASE("a parameter that is ready twice counts once") {
  auto readiness = example();
  readiness.mark("c");
  CHECK_FALSE(readiness.mark("c"));
  CHECK_FALSE(readiness.ready(0));
}

TEST_CASE("a parameter without elements holds no bucket up") {
  auto readiness = example();
  CHECK(readiness.knows("none"));
  CHECK_FALSE(readiness.mark("none"));
}

TEST_CASE("gleaner_reduce() makes all ready") {
  auto readiness = example();
  readiness.mark_all();
  CHECK(readiness.ready(0));
  CHECK(readiness.ready(1));
}

TEST_CASE("in a new step nothing is ready") {
  auto readiness = example();
  CHECK_FALSE(readiness.all_ready());
  readiness.mark_all();
  CHECK(readiness.all_ready());
  readiness.begin();
  readiness.mark("b");
  readiness.mark_all();
  readiness.begin();
  CHECK_FALSE(readiness.ready(0));
  readiness.mark("b");
  CHECK(readiness.mark("c"));
}

TEST_CASE("a bucket without parameters is ready when any gradient is") {
  Readiness readiness;
  readiness.lay_out(3, {{"a", {1}}, {"b", {2}}});
  CHECK_FALSE(readiness.ready(0));
  CHECK(readiness.mark("b"));
  CHECK(readiness.ready(0));
  readiness.begin();
  CHECK_FALSE(readiness.ready(0));
  readiness.mark_all();
  CHECK(readiness.ready(0));
}

}  // namespace gleaner::state
