// SPDX-License-Identifier: Apache-2.0
/// Arithmetic on stretches of time.
#include "cli/report/time_spans.hh"

#include "test/unit/catch.hh"

namespace gleaner::cli {

TEST_CASE("spans that overlap or touch become one") {
  CHECK(united({{5, 6}, {1, 3}, {2, 4}, {4, 5}}) == Spans{{1, 6}});
  CHECK(united({{1, 2}, {3, 4}}) == Spans{{1, 2}, {3, 4}});
  CHECK(united({{1, 10}, {2, 3}}) == Spans{{1, 10}});
}

TEST_CASE("spans without length vanish") {
  CHECK(united({{2, 2}, {5, 4}}).empty());
}

TEST_CASE("common time is what both have") {
  CHECK(common({{0, 4}, {6, 9}}, {{3, 7}, {8, 20}}) ==
        Spans{{3, 4}, {6, 7}, {8, 9}});
  CHECK(common({{0, 4}}, {{4, 5}}).empty());
}

TEST_CASE("time outside is the rest of the window") {
  CHECK(outside({{2, 3}, {5, 20}}, {0, 10}) == Spans{{0, 2}, {3, 5}});
  CHECK(outside({}, {0, 10}) == Spans{{0, 10}});
  CHECK(outside({{-5, 20}}, {0, 10}).empty());
  CHECK(outside({{-5, 1}, {12, 13}}, {0, 10}) == Spans{{1, 10}});
}

TEST_CASE("longer means longer, not as long") {
  CHECK(longer({{0, 5}, {10, 15.5}}, 5) == Spans{{10, 15.5}});
}

TEST_CASE("lengths add up") { CHECK(length_s({{0, 1.5}, {4, 6}}) == 3.5); }

}  // namespace gleaner::cli
