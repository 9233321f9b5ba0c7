// SPDX-License-Identifier: Apache-2.0
/// What a quantile is, wherever Gleaner tells one.
#include "core/quantile.hh"

#include "test/unit/catch.hh"

namespace gleaner {

TEST_CASE("a quantile is a value that occurred") {
  CHECK(quantile({3, 1, 2}, 0) == 1);
  CHECK(quantile({3, 1, 2}, 0.5) == 2);
  CHECK(quantile({3, 1, 2}, 1) == 3);
  CHECK(quantile({7}, 0.99) == 7);
}

TEST_CASE("at least that part of the values does not exceed it") {
  CHECK(quantile({3, 1, 2, 4}, 0.5) == 2);
  CHECK(quantile({3, 1, 2, 4}, 0.51) == 3);
  CHECK(quantile({3, 1, 2, 4}, 0.99) == 4);
}

TEST_CASE("the quantile of nothing is 0") {
  CHECK(quantile({}, 0.5) == 0);
  CHECK(quantile({}, 0.99) == 0);
}

}  // namespace gleaner
