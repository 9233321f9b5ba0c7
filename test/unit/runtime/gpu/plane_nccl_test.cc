// SPDX-License-Identifier: Apache-2.0
/// What the NCCL plane does beyond what every plane promises.
#include <thread>

#include "stand_in/gpu.hh"
#include "stand_in/team.hh"
#include "test/unit/catch.hh"

namespace gleaner::gpu {
using namespace test;

namespace {

/// One float for each of some sums, on the device of a member.
class Sums {
 public:
  Sums(comm::Device& device, std::size_t n) : device_(device), n_(n) {
    local_ = static_cast<float*>(*device.allocate(n * sizeof(float)));
    sum_ = static_cast<float*>(*device.allocate(n * sizeof(float)));
  }
  ~Sums() {
    device_.release(local_, n_ * sizeof(float));
    device_.release(sum_, n_ * sizeof(float));
  }
  Sums(Sums const&) = delete;

  /// Begin them all, each of i + `plus`.
  Result<void> begin(comm::Plane& plane, float plus) {
    for (std::size_t i = 0; i < n_; ++i) {
      auto const mine = float(i) + plus;
      (void)device_.from_host(local_ + i, &mine, sizeof mine);
      auto begun = plane.begin(local_ + i, sum_ + i, 1, comm::Element::float32);
      if (!begun) return begun;
    }
    return {};
  }
  float at(std::size_t i) const {
    float value = -1;
    (void)device_.to_host(&value, sum_ + i, sizeof value);
    return value;
  }

 private:
  comm::Device& device_;
  std::size_t const n_;
  float* local_ = nullptr;
  float* sum_ = nullptr;
};

bool says(Result<void> const& done, std::string const& text) {
  INFO((done ? "no error" : done.error().message));
  CHECK(!done);
  return !done && done.error().message.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("sums are queued one behind the other, and waited for together") {
  Team team(2);
  REQUIRE(team.connect());
  Sums mine(*team.devices[0], 20), others(*team.devices[1], 20);
  REQUIRE(mine.begin(*team.planes[0], 1));
  CHECK(sums_queued_max() == 20);
  REQUIRE(others.begin(*team.planes[1], 100));
  CHECK(team.planes[0]->finish());
  CHECK(team.planes[1]->finish());
  CHECK(mine.at(0) == 101);
  CHECK(others.at(19) == 139);
}

TEST_CASE("a stop ends the wait for sums, and nothing writes to them") {
  Team team(2);
  REQUIRE(team.connect());
  Sums mine(*team.devices[0], 3), others(*team.devices[1], 3);
  REQUIRE(mine.begin(*team.planes[0], 1));
  team.planes[0]->stop();
  CHECK(says(team.planes[0]->finish(), "stopped"));
  CHECK(team.planes[0]->at_rest());
  REQUIRE(others.begin(*team.planes[1], 1));
  CHECK(mine.at(0) == 0);
  team.planes[1]->stop();
  CHECK(!team.planes[1]->finish());
  CHECK(team.planes[1]->finish());  // nothing is left to wait for
}

TEST_CASE("that an abort does not end a sum is said") {
  set_kernels_deaf(true);
  {
    Team team(2, {}, std::chrono::milliseconds(50));
    REQUIRE(team.connect());
    Sums mine(*team.devices[0], 1);
    REQUIRE(mine.begin(*team.planes[0], 1));
    team.planes[0]->stop();
    auto const done = team.planes[0]->finish();
    CHECK(says(done, "still runs on the GPU"));
    CHECK(!team.planes[0]->at_rest());
    set_kernels_deaf(false);
    end_deaf_kernels();
  }
}

TEST_CASE("members that share a GPU are refused, and no id is made") {
  auto const ids = ids_made();
  Team team(3, {0, 1, 1});
  CHECK(says(team.connect(), "ranks 1 and 2 have the same GPU"));
  CHECK(ids_made() == ids);
}

TEST_CASE("a generation given up before all have come leaves no thread") {
  auto const roots = bootstrap_roots(), ids = ids_made();
  {
    Team team(3);
    CHECK(!team.connect(2, 0.1));
  }
  CHECK(bootstrap_roots() == roots);
  CHECK(ids_made() == ids);
  {
    Team team(3);
    CHECK(team.connect());
  }
  CHECK(bootstrap_roots() == roots);
  CHECK(ids_made() == ids + 1);
}

TEST_CASE("large memberships call in with several ids") {
  auto const roots = bootstrap_roots(), ids = ids_made();
  Team team(65);
  REQUIRE(team.connect());
  CHECK(ids_made() == ids + 2);
  CHECK(bootstrap_roots() == roots);
}

TEST_CASE("an NCCL that cannot be used is refused when a plane is made") {
  set_gpus(1);
  comm::PlaneOptions options{0, 2, "127.0.0.1"};
  options.device = *open_cuda_device(0);
  set_nccl_version(21005);
  auto const plane = make_nccl_plane(options);
  set_nccl_version(NCCL_VERSION_CODE);
  REQUIRE(!plane);
  CHECK(plane.error().message.find("NCCL 2.10.5 is loaded") !=
        std::string::npos);
}

}  // namespace gleaner::gpu
