// SPDX-License-Identifier: Apache-2.0
/// How often the cluster is looked at.
#include "slurm/scan_pacer.hh"

#include <vector>

#include "test/unit/catch.hh"

using gleaner::ScanPacer;

namespace {

constexpr double interval_s = 1;
constexpr double gap_s = 0.02;

/// When looks happen from `from_s` to `until_s`, if each takes `took_s`.
std::vector<double> looks(ScanPacer* pacer, double from_s, double until_s,
                          double took_s) {
  std::vector<double> at;
  for (double now_s = from_s;;) {
    now_s += pacer->wait_s(now_s);
    if (now_s > until_s) return at;
    at.push_back(now_s);
    pacer->looked(now_s, now_s + took_s);
    now_s += took_s;
  }
}

}  // namespace

TEST_CASE("the first look is at once") {
  ScanPacer pacer(interval_s, gap_s);
  CHECK(pacer.wait_s(100) == 0);
}

TEST_CASE("an undisturbed cluster is looked at once an interval") {
  ScanPacer pacer(interval_s, gap_s);
  pacer.looked(100, 100.001);
  auto const at = looks(&pacer, 101, 104, 0.001);
  REQUIRE(at.size() == 3);
  CHECK(at[0] == Approx(101.001));
  CHECK(at[1] == Approx(102.002));
}

TEST_CASE("after being woken it looks at once and soon again") {
  ScanPacer pacer(interval_s, gap_s);
  pacer.looked(100, 100.001);
  pacer.wake(100.5);
  auto const at = looks(&pacer, 100.5, 101.2, 0.001);
  REQUIRE(at.size() == 5);
  CHECK(at[0] == Approx(100.5));
  CHECK(at[1] == Approx(100.521).margin(0.001));
  CHECK(at[2] == Approx(100.56).margin(0.001));
  CHECK(at[3] == Approx(100.7).margin(0.001));
  CHECK(at[4] == Approx(101.0).margin(0.001));
}

TEST_CASE("looks keep the least gap, however often it is woken") {
  ScanPacer pacer(interval_s, gap_s);
  pacer.looked(100, 100.001);
  pacer.wake(100.002);
  CHECK(pacer.wait_s(100.002) == Approx(0.019));
}

TEST_CASE("looking takes at most a fifth of the time") {
  ScanPacer pacer(interval_s, gap_s);
  double const took_s = 0.1;
  double now_s = 100;
  int count = 0;
  while (now_s < 110) {
    pacer.wake(now_s);
    now_s += pacer.wait_s(now_s);
    pacer.looked(now_s, now_s + took_s);
    now_s += took_s;
    ++count;
  }
  CHECK(count * took_s <= 2.1);
  CHECK(count * took_s >= 1.9);
}
