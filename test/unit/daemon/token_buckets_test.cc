// SPDX-License-Identifier: Apache-2.0
/// How much each user may have, whatever he does.
#include "daemon/decisions/token_buckets.hh"

#include "test/unit/catch.hh"

namespace gleaner::daemon {
namespace {

/// How many of `tries` single tokens user `uid` gets at that time.
int taken(TokenBuckets& buckets, Uid uid, int tries, double now_s) {
  int got = 0;
  for (int i = 0; i < tries; ++i) got += buckets.take(uid, 1, now_s);
  return got;
}

TEST_CASE("a user has a burst, and then so much a second") {
  TokenBuckets buckets({10, 2});
  CHECK(taken(buckets, 1000, 50, 100) == 10);
  CHECK(taken(buckets, 1000, 50, 100) == 0);
  CHECK(taken(buckets, 1000, 50, 101) == 2);
  CHECK(taken(buckets, 1000, 50, 103) == 4);
  CHECK(taken(buckets, 1000, 50, 1000) == 10);
}

TEST_CASE("users do not take from each other") {
  TokenBuckets buckets({10, 2});
  CHECK(taken(buckets, 1000, 50, 100) == 10);
  CHECK(taken(buckets, 1001, 50, 100) == 10);
}

TEST_CASE("what is refused costs nothing") {
  TokenBuckets buckets({10, 2});
  CHECK_FALSE(buckets.take(1000, 11, 100));
  CHECK(buckets.take(1000, 10, 100));
}

TEST_CASE("a clock that runs backwards gives nothing") {
  TokenBuckets buckets({10, 2});
  CHECK(taken(buckets, 1000, 50, 100) == 10);
  CHECK(taken(buckets, 1000, 50, 50) == 0);
  CHECK(taken(buckets, 1000, 50, 100) == 0);
}

TEST_CASE("many users are remembered for no longer than it takes to refill") {
  TokenBuckets buckets({10, 2});
  for (Uid uid = 0; uid < 100000; ++uid)
    CHECK(buckets.take(uid, 1, 100 + uid * 0.001));
  // 0.5 s refill a token: about 500 of these users are not full.
  CHECK(buckets.size() < 4000);
}

}  // namespace
}  // namespace gleaner::daemon
