// SPDX-License-Identifier: Apache-2.0
/// Trainings that are measured on purpose, from the first pace to the better
/// plan.
#include <functional>
#include <map>
#include <set>

#include "test/unit/daemon/world.hh"

namespace gleaner::daemon {
namespace {

/// Eight nodes and two trainings whose steps take what the test says.  What
/// gleanerd asks is done at once, and a size is measured after six seconds.
class Hall {
 public:
  using StepS = std::function<double(int)>;

  explicit Hall(double profile_share) {
    auto config = World::settings("on");
    config.profile_share = profile_share;
    config.arrival_notice_s = 0;
    world.brain.configure(config);
    world.holes("n[1-8]");
    world.look();
  }

  void begins(JobId job, StepS step_s, int nodes_min = 1) {
    trainings_[job].step_s = std::move(step_s);
    world.base_job(job, nodes_min, 8);
    world.look();
    world.registers(job);
  }

  void second() {
    world.later(1);
    for (auto& [job, training] : trainings_) {
      follow(job);
      train(job, training);
    }
  }

  int nodes(JobId job) const {
    int count = 0;
    for (auto const& lease : world.cluster.leases)
      count += lease.trainer == job;
    return count;
  }

  int nodes_least(JobId job) const { return trainings_.at(job).least; }
  std::set<int> const& sizes(JobId job) const {
    return trainings_.at(job).sizes;
  }

  World world;

 private:
  struct Training {
    StepS step_s;
    int nodes = 0;
    int least = 99;  ///< once it has been measured
    std::set<int> sizes;
    std::uint64_t generation = 0;
    int seconds = 0;
  };

  void follow(JobId job) {
    using State = Lease::State;
    auto const leases = world.brain.leases().all();
    for (auto const& [nonce, lease] : leases) {
      if (lease.trainer != job) continue;
      if (lease.state == State::offered) {
        world.takes(job, lease.node, ++number_);
      } else if (lease.state == State::returning) {
        world.vacates(job, {lease.node});
        world.says(job, msg::LeaseEnded{lease.node, lease.job, "released"});
        world.end_of_lease(lease.job);
        world.look();
      }
    }
  }

  /// Where a step's time goes is not reported: only sizes tell.
  void train(JobId job, Training& training) {
    int const now = nodes(job);
    if (now != training.nodes) {
      training.nodes = now;
      training.seconds = 0;
      ++training.generation;
    }
    if (now == 0 || ++training.seconds < 6) return;
    training.least = std::min(training.least, now);
    training.sizes.insert(now);
    msg::Pace pace;
    pace.generation = training.generation;
    pace.nodes = pace.members = now;
    pace.steps = static_cast<std::uint64_t>(training.seconds) * 10;
    pace.step_s = training.step_s(now);
    pace.step_spread_s = 0.01 * pace.step_s;
    pace.family = "train " + std::to_string(job);
    pace.global_batch = 1000;
    world.says(job, pace);
  }

  std::map<JobId, Training> trainings_;
  JobId number_ = 100;
};

double scales(int k) { return 0.1 / k; }
/// From three nodes on it gains nothing.
double saturates(int k) { return 0.1 / std::min(k, 3); }

TEST_CASE("what is measured on purpose makes a better plan") {
  Hall hall(0.1);
  hall.begins(7, scales);
  hall.begins(8, saturates);
  for (int s = 0; s < 900; ++s) hall.second();
  INFO(hall.nodes(7) << " and " << hall.nodes(8)
                     << " nodes; 7: " << hall.world.brain.visits().why(7)
                     << "; 8: " << hall.world.brain.visits().why(8));
  CHECK(hall.world.recorded("profile_begun") > 0);
  CHECK(hall.world.recorded("profile_ended") > 0);
  // At the guess that both scale alike each would have four: 7 in all.
  CHECK(hall.nodes(7) + hall.nodes(8) == 8);
  CHECK(hall.nodes(8) >= 1);
  CHECK(hall.nodes(8) <= 3);
}

TEST_CASE("with profile_share 0 nothing is measured on purpose") {
  Hall hall(0);
  hall.begins(7, scales);
  hall.begins(8, saturates);
  for (int s = 0; s < 300; ++s) hall.second();
  CHECK(hall.world.recorded("profile_begun") == 0);
  CHECK(hall.world.brain.visits().why(7) ==
        "no, profile_share is 0 in gleaner.yaml");
}

TEST_CASE("a visit takes nobody below its minimum") {
  Hall hall(0.1);
  hall.begins(7, scales);
  hall.begins(8, saturates, 4);
  for (int s = 0; s < 600; ++s) hall.second();
  CHECK(hall.nodes_least(8) >= 4);
}

TEST_CASE("a job takes the nodes of a visit, which goes on later") {
  Hall hall(0.1);
  hall.begins(7, scales);
  hall.begins(8, saturates);
  int s = 0;
  while (s++ < 900 && hall.world.recorded("profile_begun") == 0) hall.second();
  REQUIRE(hall.world.recorded("profile_begun") > 0);
  hall.world.pending(500, 6);
  for (int i = 0; i < 5; ++i) hall.second();
  CHECK(hall.world.recorded("profile_ended") > 0);
  hall.world.cluster.pending.clear();
  auto const begun = hall.world.recorded("profile_begun");
  for (int i = 0; i < 900; ++i) hall.second();
  CHECK(hall.world.recorded("profile_begun") > begun);
}

}  // namespace
}  // namespace gleaner::daemon
