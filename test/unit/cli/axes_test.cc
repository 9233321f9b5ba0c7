// SPDX-License-Identifier: Apache-2.0
/// Scales and ticks of pictures.
#include "cli/axes.hh"

#include "test/unit/catch.hh"

namespace gleaner::cli {

TEST_CASE("ticks are at times people count in") {
  CHECK(tick_step_s(90, 15) == 10);
  CHECK(tick_step_s(75, 15) == 5);
  CHECK(tick_step_s(600, 15) == 60);
  CHECK(tick_step_s(7 * 86400, 15) == 86400);
}

TEST_CASE("a tick is named in the unit of the steps") {
  CHECK(tick_label(40, 10) == "40 s");
  CHECK(tick_label(120, 60) == "2 min");
  CHECK(tick_label(7200, 3600) == "2 h");
}

TEST_CASE("round steps are 1, 2 or 5 times a power of ten") {
  CHECK(round_step(0.83) == Approx(0.5));
  CHECK(round_step(3.9) == Approx(2));
  CHECK(round_step(10) == Approx(10));
}

TEST_CASE("a scale maps its ends to its ends") {
  Scale const scale{100, 200, 0, 50};
  CHECK(scale.at(100) == 0);
  CHECK(scale.at(150) == 25);
  CHECK(scale.at(200) == 50);
}

}  // namespace gleaner::cli
