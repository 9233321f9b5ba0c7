// SPDX-License-Identifier: Apache-2.0
/// Which member has the most of a batch, and which one is slow.
#include "profile/largest_share.hh"

#include "profile/advisor.hh"
#include "test/unit/catch.hh"

namespace gleaner::profile {
namespace {

struct Case {
  std::uint64_t batch;
  int members;
  double mean_s, longest_s;
  double compute_s, straggled_s;
};

TEST_CASE("a share that is larger is not a member that is slow") {
  for (auto const& c : {
           Case{1024, 1, 1.0, 1.0, 1.0, 0}, Case{1024, 8, 1.0, 1.02, 1.0, 0},
           Case{1024, 8, 1.1, 1.8, 1.0, 0.77},    // seven of 1.0, one of 1.8
           Case{0, 8, 1.1, 1.8, 1.0, 0.77},       // shares not known: equal
           Case{4, 3, 0.08, 0.12, 0.12, 0},       // 2, 1 and 1 samples
           Case{4, 3, 0.12, 0.24, 0.12, 0.1164},  // the one with 2 is slow
           Case{4, 6, 0.04, 0.06, 0.06, 0},       // two members have nothing
           Case{4, 6, 0.05, 0.12, 0.06, 0.0582},
           Case{1, 4, 0.015, 0.06, 0.06, 0},  // nobody to compare it with
           Case{5, 4, 0.09, 0.12, 0.12, 0},   // 60 ms of it are fixed
       }) {
    CAPTURE(c.batch, c.members, c.mean_s, c.longest_s);
    Pace pace;
    pace.members = c.members;
    pace.compute_s = c.mean_s;
    pace.compute_max_s = c.longest_s;
    pace.step_s = c.longest_s + 0.01;
    auto const largest = largest_share(pace, c.batch);
    CHECK(largest.compute_s == Approx(c.compute_s).epsilon(0.01));
    CHECK(largest.straggled_s == Approx(c.straggled_s).margin(1e-9));
  }
}

// Seen: three members with 4 samples were taken for two and a slow one, and the
// training was expected to be twice as fast with them as it was.
TEST_CASE("a batch of four is learned as the staircase that it is") {
  Advisor advisor;
  advisor.set_traits({"", 4, 0, 1});
  auto const measured = [](std::uint64_t generation, int members) {
    int const largest = (4 + members - 1) / members;
    Pace pace;
    pace.generation = generation;
    pace.nodes = pace.members = members;
    pace.steps = 50;
    pace.compute_s = 0.002 + 0.06 * 4 / members;
    pace.compute_max_s = 0.002 + 0.06 * largest;
    pace.step_s = pace.compute_max_s + 0.001;
    pace.step_spread_s = 0.002;
    pace.exposed_s = 0.0005;
    return pace;
  };
  advisor.add(measured(1, 3));
  advisor.add(measured(2, 6));
  auto const advice = advisor.advise(8);
  CHECK(advice.mean[2] == Approx(4 / 0.123).epsilon(0.05));
  CHECK(advice.mean[3] == Approx(4 / 0.123).epsilon(0.02));
  CHECK(advice.mean[4] == Approx(4 / 0.063).epsilon(0.05));
  CHECK(advice.mean[6] == Approx(4 / 0.063).epsilon(0.02));
}

}  // namespace
}  // namespace gleaner::profile
