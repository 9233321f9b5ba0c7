// SPDX-License-Identifier: Apache-2.0
/// What the allocator is told of a trainer's speed, measured or not.
#include "profile/scaling_curve.hh"

#include <limits>

#include "test/unit/catch.hh"

namespace gleaner::profile {
namespace {

TEST_CASE("without measurements a curve rises, ever less steeply") {
  auto const speed = ScalingCurve().speed(8);
  REQUIRE(speed.size() == 9);
  CHECK(speed[0] == 0);
  CHECK(speed[1] == Approx(1));
  for (std::size_t k = 2; k < speed.size(); ++k) {
    CHECK(speed[k] > speed[k - 1]);
    CHECK(speed[k] - speed[k - 1] <= speed[k - 1] - speed[k - 2]);
  }
}

TEST_CASE("a curve goes through what was measured") {
  ScalingCurve curve;
  curve.add(1, 100);
  curve.add(4, 200);
  auto const speed = curve.speed(8);
  CHECK(speed[1] == Approx(1));
  CHECK(speed[4] == Approx(2));
  CHECK(speed[2] > 1);
  CHECK(speed[8] > 2);
  CHECK(speed[8] < 4);
}

TEST_CASE("a trainer seen at one size only keeps the shape of the guess") {
  ScalingCurve curve;
  curve.add(4, 1000);
  CHECK(curve.speed(8) == ScalingCurve().speed(8));
}

TEST_CASE("one outlier changes nothing") {
  ScalingCurve curve;
  for (int i = 0; i < 5; ++i) curve.add(2, 50);
  curve.add(2, 5000);
  CHECK(curve.samples_per_s(2) == Approx(50));
}

TEST_CASE("old measurements are forgotten") {
  ScalingCurve curve;
  for (std::size_t i = 0; i < ScalingCurve::kept; ++i) curve.add(2, 50);
  for (std::size_t i = 0; i < ScalingCurve::kept; ++i) curve.add(2, 80);
  CHECK(curve.samples_per_s(2) == Approx(80));
}

TEST_CASE("what cannot be a speed is ignored") {
  ScalingCurve curve;
  curve.add(2, 0);
  curve.add(2, -1);
  curve.add(0, 10);
  curve.add(2, std::numeric_limits<double>::quiet_NaN());
  curve.add(2, std::numeric_limits<double>::infinity());
  CHECK(curve.samples_per_s(2) == 0);
}

}  // namespace
}  // namespace gleaner::profile
