// SPDX-License-Identifier: Apache-2.0
/// What the allocator is told of a training's scaling, and when.
#include "daemon/decisions/scaling_profile.hh"

#include <cmath>
#include <limits>

#include "daemon/decisions/pace_message.hh"
#include "test/unit/catch.hh"

namespace gleaner::daemon {
namespace {

using Scaling = ScalingProfile::Scaling;

constexpr std::uint64_t batch = 240;

/// A sample takes 10 ms, and each member more 5 ms of waiting.
profile::Pace pace(std::uint64_t generation, int nodes, std::uint64_t steps,
                   double factor = 1) {
  profile::Pace p;
  p.generation = generation;
  p.nodes = p.members = nodes;
  p.steps = steps;
  p.compute_s = p.compute_max_s =
      factor * 0.01 * std::ceil(double(batch) / nodes);
  p.exposed_s = 0.005 * (nodes - 1);
  p.step_s = p.compute_s + p.exposed_s;
  p.step_spread_s = 0.02 * p.step_s;
  return p;
}

profile::Traits traits() {
  profile::Traits t;
  t.family = "train";
  t.global_batch = batch;
  t.gradient_bytes = 1'000'000;
  return t;
}

TEST_CASE("before anything is measured speeds are a guess for all alike") {
  ScalingProfile profile;
  CHECK(profile.update(8, Scaling::measured));
  auto const& told = profile.told();
  REQUIRE(told.mean.size() == 9);
  CHECK(told.mean[1] == Approx(1));
  CHECK(told.mean[8] > told.mean[4]);
  CHECK(told.nodes_tried == 0);
  CHECK(told.low.empty());
  CHECK_FALSE(profile.is_measured());
}

TEST_CASE("a measured size is what was measured") {
  ScalingProfile profile;
  for (int nodes : {1, 2, 4})
    profile.add(pace(std::uint64_t(nodes), nodes, 500), traits());
  CHECK(profile.update(8, Scaling::measured));
  auto const& told = profile.told();
  CHECK(told.nodes_tried == 4);
  for (std::size_t k : {2u, 4u})
    CHECK(
        told.mean[k] ==
        Approx(pace(1, 1, 1).step_s / pace(1, int(k), 1).step_s).epsilon(0.03));
}

TEST_CASE("k nodes are told to be k times as fast at most") {
  ScalingProfile profile;
  profile.add(pace(1, 1, 500), traits());
  profile.add(pace(2, 2, 500, 0.1), traits());  // ten times too fast
  profile.update(4, Scaling::measured);
  for (std::size_t k = 1; k < 5; ++k) {
    CHECK(profile.told().mean[k] <= double(k));
    CHECK(profile.told().high[k] <= double(k));
    CHECK(profile.told().low[k] <= profile.told().high[k]);
  }
}

TEST_CASE("a pace of members that no machine has is not possible") {
  msg::Pace said;
  said.step_s = 0.1;
  said.global_batch = 64;
  said.nodes = 2;
  said.members = 16;
  CHECK(is_possible(said));
  said.members = 1;
  CHECK_FALSE(is_possible(said));
  said.members = 2 * 1025;
  CHECK_FALSE(is_possible(said));
  said.nodes = said.members = std::numeric_limits<int>::max();
  CHECK_FALSE(is_possible(said));
}

TEST_CASE("the allocator hears of a pace when it is news") {
  ScalingProfile profile;
  profile.update(8, Scaling::measured);
  profile.add(pace(1, 2, 20), traits());
  CHECK(profile.update(8, Scaling::measured));
  profile.add(pace(1, 2, 21), traits());  // the same, a step later
  CHECK_FALSE(profile.update(8, Scaling::measured));
  profile.add(pace(2, 4, 20), traits());  // another size
  CHECK(profile.update(8, Scaling::measured));
  profile.add(pace(2, 4, 500, 3), traits());  // another speed
  CHECK(profile.update(8, Scaling::measured));
}

TEST_CASE("scaling that is assumed is the guess, whatever is measured") {
  ScalingProfile profile;
  profile.add(pace(1, 1, 500), traits());
  profile.add(pace(2, 2, 500, 4), traits());
  profile.update(4, Scaling::assumed);
  CHECK(profile.told().mean[4] == Approx(std::pow(4, 0.95)));
  CHECK(profile.told().low.empty());
}

TEST_CASE("a training that was known before is known at once") {
  ScalingProfile before, now;
  for (int nodes : {1, 2, 4, 8})
    before.add(pace(std::uint64_t(nodes), nodes, 500), traits());
  now.set_prior(before.learned(), {});
  now.add(pace(1, 1, 30), traits());
  now.update(8, Scaling::measured);
  CHECK(now.trainings_before() == 1);
  CHECK(now.told().mean[8] ==
        Approx(pace(1, 1, 1).step_s / pace(1, 8, 1).step_s).epsilon(0.05));
}

TEST_CASE("what was taught is dropped when a new size refutes it") {
  ScalingProfile talks, now;
  // As fast on eight nodes as the one that is to learn, and on one and four
  // quite different.
  for (int nodes : {1, 4}) {
    auto p = pace(std::uint64_t(nodes), nodes, 500);
    p.compute_s = p.compute_max_s = 0.32 / nodes;
    p.exposed_s = nodes == 1 ? 0 : 0.24;
    p.step_s = p.compute_s + p.exposed_s;
    talks.add(p, traits());
  }
  now.set_prior(talks.learned(), {});
  CHECK(now.trainings_before() == 1);
  now.add(pace(1, 8, 200), traits());
  now.add(pace(2, 3, 200), traits());
  CHECK(now.trainings_before() == 0);
  now.update(8, Scaling::measured);
  for (std::size_t k : {3u, 4u, 5u, 8u})
    CHECK(
        now.told().mean[k] / now.told().mean[3] ==
        Approx(pace(1, 3, 1).step_s / pace(1, int(k), 1).step_s).epsilon(0.05));
}

TEST_CASE("resizes cost what they cost lately") {
  ScalingProfile profile;
  profile::ResizeCosts const configured{0.5, 0.2, 3, 0.2};
  CHECK(profile.costs(configured).expand_s == 0.5);
  profile.add_resize("expand", 2, 0.1);
  CHECK(profile.costs(configured).expand_s == 0.1);
  CHECK(profile.costs(configured).shrink_s == 0.2);
  for (int i = 0; i < 20; ++i) profile.add_resize("mixed", 2, 0.4);
  CHECK(profile.costs(configured).expand_s == Approx(0.4).epsilon(0.01));
  CHECK(profile.costs(configured).shrink_s == Approx(0.4));
  profile.add_resize("expand", 2, std::nan(""));
  profile.add_resize("expand", 2, -3);
  CHECK(profile.costs(configured).expand_s == Approx(0.4).epsilon(0.01));
}

}  // namespace
}  // namespace gleaner::daemon
