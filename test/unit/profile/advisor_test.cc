// SPDX-License-Identifier: Apache-2.0
/// What an advisor promises, on single cases.  How often it is right is in
/// advisor_truths_test.cc.
#include "profile/advisor.hh"

#include <cmath>

#include "profile/learned_json.hh"
#include "test/unit/catch.hh"

namespace gleaner::profile {
namespace {

/// 10 ms, 2 ms a sample, 1 ms a hop.
double step_s(int m) {
  return 0.01 + 0.002 * ((1024 + m - 1) / m) + 0.001 * std::log2(m);
}

Pace pace(std::uint64_t generation, int nodes, double factor = 1) {
  Pace pace;
  pace.generation = generation;
  pace.nodes = pace.members = nodes;
  pace.steps = 100;
  pace.step_s = factor * step_s(nodes);
  pace.step_spread_s = 0.03 * pace.step_s;
  pace.compute_s = factor * (0.005 + 0.002 * ((1024 + nodes - 1) / nodes));
  pace.compute_max_s = pace.compute_s;
  pace.exposed_s = factor * 0.001 * std::log2(nodes);
  return pace;
}

Advisor advisor(std::vector<Pace> const& paces) {
  Advisor advisor;
  advisor.set_traits({"program", 1024, 0, 1});
  for (auto const& pace : paces) advisor.add(pace);
  return advisor;
}

TEST_CASE("before anything is measured one node's speed is the unit") {
  auto const advice = Advisor().advise(64);
  CHECK(advice.mean.size() == 65);
  CHECK(advice.mean[0] == 0);
  CHECK(advice.mean[1] == Approx(1).epsilon(0.01));
  CHECK(advice.mean[64] > 32);
  CHECK(advice.low[64] < 36);
  CHECK(advice.high[64] > 56);
  CHECK(advice.nodes_seen_max == 0);
}

TEST_CASE("a measured size counts as measured") {
  auto const advice = advisor({pace(1, 8), pace(2, 32, 3)}).advise(64);
  CHECK(advice.mean[8] == Approx(1024 / step_s(8)).epsilon(0.01));
  CHECK(advice.mean[32] == Approx(1024 / step_s(32) / 3).epsilon(0.01));
  CHECK(advice.nodes_seen_max == 32);
}

TEST_CASE("one size tells of the others, less surely the farther they are") {
  auto const advice = advisor({pace(1, 16)}).advise(64);
  for (int k : {1, 2, 4, 8, 16, 32, 64}) {
    INFO(k << " nodes: " << advice.low[k] << " " << advice.high[k]);
    CHECK(advice.low[k] < 1024 / step_s(k));
    CHECK(advice.high[k] > 1024 / step_s(k));
  }
  auto const width = [&](int k) { return advice.high[k] / advice.low[k]; };
  CHECK(width(16) < 1.06);
  CHECK(width(16) < width(8));
  CHECK(width(8) < width(1));
  CHECK(width(32) < width(64));
}

TEST_CASE("a generation's later pace replaces its earlier one") {
  auto const once = advisor({pace(1, 8)});
  CHECK(advisor({pace(1, 8, 2), pace(1, 8)}).advise(8).mean ==
        once.advise(8).mean);
}

TEST_CASE("a collapse stays beyond the size where it begins") {
  auto const advice =
      advisor({pace(1, 4), pace(2, 8), pace(3, 16), pace(4, 32, 4)}).advise(64);
  CHECK(advice.mean[12] == Approx(1024 / step_s(12)).epsilon(0.05));
  CHECK(advice.mean[2] == Approx(1024 / step_s(2)).epsilon(0.1));
  CHECK(advice.mean[64] < 0.6 * 1024 / step_s(64));
}

TEST_CASE("a straggler is not blamed on the size") {
  auto slow = pace(1, 8);
  slow.compute_max_s = 1.5 * slow.compute_s;
  slow.step_s += 0.5 * slow.compute_s;
  auto const advice = advisor({slow}).advise(16);
  CHECK(advice.mean[8] == Approx(1024 / step_s(8)).epsilon(0.08));
}

TEST_CASE("what an earlier training learned is nearly as good") {
  Advisor next;
  next.set_traits({"program", 1024, 0, 1});
  next.set_prior(advisor({pace(1, 4), pace(2, 32)}).learned());
  auto const advice = next.advise(64);
  CHECK(advice.nodes_seen_max == 32);
  CHECK(advice.mean[32] / advice.mean[4] ==
        Approx(step_s(4) / step_s(32)).epsilon(0.02));
  CHECK(advice.high[32] / advice.low[32] > 1.06);
  next.add(pace(9, 8, 1.2));  // this one is slower, but of the same shape
  CHECK(next.advise(64).mean[32] ==
        Approx(1024 / step_s(32) / 1.2).epsilon(0.05));
}

TEST_CASE("what cannot be a pace is ignored") {
  Advisor bad;
  auto wrong = pace(1, 4);
  wrong.step_s = 0;
  bad.add(wrong);
  wrong.step_s = std::nan("");
  bad.add(wrong);
  CHECK(bad.advise(4).nodes_seen_max == 0);
}

TEST_CASE("what was learned survives its text, and nothing else is read") {
  auto const learned = advisor({pace(1, 4), pace(2, 32)}).learned();
  auto const text = to_json(learned);
  auto const read = learned_from_json(text);
  REQUIRE(read);
  CHECK(*read == learned);
  for (
      auto const* bad :
      {"", "[]", "{}", R"({"members_per_node":1})",
       R"({"members_per_node":0,"sizes":[]})",
       R"({"members_per_node":1,"sizes":[],"more":1})",
       R"({"members_per_node":1,"sizes":[{"members":1}]})",
       R"({"members_per_node":1,"sizes":[{"members":1,"trainings":1,"step_s":0,"step_sd":0,"compute_s":0,"exposed_s":0}]})"}) {
    INFO(bad);
    CHECK_FALSE(learned_from_json(bad));
  }
}

/// Of a batch of 840: so much for a sample, and for each link of a ring.
Pace ring_pace(std::uint64_t generation, int members, double sample_s,
               double link_s) {
  Pace p;
  p.generation = generation;
  p.nodes = p.members = members;
  p.steps = 60;
  p.compute_s = p.compute_max_s = sample_s * 840 / members;
  p.exposed_s = 2 * (members - 1) * link_s;
  p.step_s = p.compute_s + p.exposed_s;
  p.step_spread_s = 0.01 * p.step_s;
  return p;
}

TEST_CASE("what another kind of training taught is dropped once it shows") {
  // It is as fast on eight members as the other would be.
  Advisor talks, scales;
  for (auto* one : {&talks, &scales}) {
    Traits traits;
    traits.global_batch = 840;
    one->set_traits(traits);
  }
  talks.add(ring_pace(1, 4, 8e-5, 0.008));
  talks.add(ring_pace(2, 1, 8e-5, 0.008));
  scales.set_prior(talks.learned());
  CHECK(scales.heeds_prior());
  scales.add(ring_pace(1, 8, 3e-4, 0.0005));
  scales.add(ring_pace(2, 3, 3e-4, 0.0005));
  CHECK_FALSE(scales.heeds_prior());
  auto const advice = scales.advise(8);
  CHECK(advice.nodes_seen_max == 8);
  for (int members = 3; members <= 8; ++members)
    CHECK(
        advice.mean[std::size_t(members)] ==
        Approx(840 / ring_pace(1, members, 3e-4, 0.0005).step_s).epsilon(0.05));
}

TEST_CASE("of a training that mostly waits for latency no wrong size is sure") {
  Advisor talks;
  Traits traits;
  traits.global_batch = 840;
  talks.set_traits(traits);
  auto const truth = [](int members) {
    return 840 / ring_pace(1, members, 8e-5, 0.008).step_s;
  };
  talks.add(ring_pace(1, 4, 8e-5, 0.008));
  std::uint64_t generation = 1;
  // It may also be a jump between one and four, so the interval is wide.
  for (int measured : {1, 2, 8}) {
    talks.add(ring_pace(++generation, measured, 8e-5, 0.008));
    auto const advice = talks.advise(16);
    for (int members : {1, 2, 4, 8, 16}) {
      INFO(members << " members, the last measured on " << measured);
      auto const at = std::size_t(members);
      CHECK(advice.low[at] < truth(members));
      CHECK(advice.high[at] > truth(members));
    }
  }
  CHECK(talks.advise(16).mean[16] < truth(8));
}

TEST_CASE("trainings that differ are less sure together") {
  auto const one = advisor({pace(1, 4)}).learned();
  auto const other = advisor({pace(1, 4, 1.5), pace(2, 8)}).learned();
  auto const both = merged(one, other);
  REQUIRE(both.sizes.size() == 2);
  CHECK(both.sizes[0].trainings == 2);
  CHECK(both.sizes[0].step_s == Approx(step_s(4) * std::sqrt(1.5)));
  CHECK(both.sizes[0].step_sd > 0.15);
}

}  // namespace
}  // namespace gleaner::profile
