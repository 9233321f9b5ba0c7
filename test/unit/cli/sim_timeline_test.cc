// SPDX-License-Identifier: Apache-2.0
/// What the picture of a simulation averages.
#include "cli/sim/sim_timeline.hh"

#include "test/unit/catch.hh"

namespace gleaner::cli {
namespace {

TEST_CASE("a bin is the mean over its time") {
  sim::Interval one{0, 30}, two{30, 40};
  one.idle = 4;
  one.made_samples = 60;
  two.idle = 8;
  auto const bins = binned({one, two}, 40, 2);
  CHECK(bins[0].idle == 4);
  CHECK(bins[0].samples_per_h == Approx(2 * 3600));
  CHECK(bins[1].idle == (4 + 8) / 2);
  CHECK(bins[1].samples_per_h == Approx(1 * 3600));
}

TEST_CASE("resizes count where an interval begins, losses where it ends") {
  sim::Interval one{0, 30};
  one.resizes = 2;
  one.losses = 3;
  auto const bins = binned({one}, 40, 2);
  CHECK(bins[0].resizes_per_h == 2 * 3600 / 20);
  CHECK(bins[1].losses_per_h == 3 * 3600 / 20);
}

TEST_CASE("a run of no length has bins, too") {
  CHECK(binned({}, 0, 3).size() == 3);
}

}  // namespace
}  // namespace gleaner::cli
