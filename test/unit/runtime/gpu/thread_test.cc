// SPDX-License-Identifier: Apache-2.0
/// What calls of ours leave behind on the program's thread: nothing.
#include <thread>

#include "runtime/gpu/comm_nccl.hh"
#include "runtime/gpu/device_cuda.hh"
#include "stand_in/gpu.hh"
#include "stand_in/team.hh"
#include "test/unit/catch.hh"

namespace gleaner::gpu {
using namespace test;

TEST_CASE("a sum that others are late for leaves no error on the thread") {
  Team team(2);
  REQUIRE(team.connect());
  Result<void> late_sum;
  std::thread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    late_sum = team.sum(1);
  });
  auto const sum = team.sum(0);
  auto const left = last_error();
  late.join();
  CHECK(sum);
  CHECK(late_sum);
  CHECK(left == cudaSuccess);
}

TEST_CASE("an error of the program's stays for the program") {
  set_gpus(1);
  auto const device = *open_cuda_device(0);
  REQUIRE(cudaSetDevice(7) != cudaSuccess);
  CHECK(device->join(nullptr));
  CHECK(last_error() == cudaErrorInvalidDevice);
  (void)cudaGetLastError();
}

TEST_CASE("where there is no pinned memory, other memory does") {
  set_gpus(1);
  auto const device = *open_cuda_device(0);
  fail_pinned_memory(true);
  void* const copy = device->allocate_host(100);
  fail_pinned_memory(false);
  REQUIRE(copy);
  CHECK(last_error() == cudaSuccess);  // what CUDA refused us is not said again
  device->release_host(copy, 100);
}

TEST_CASE("the thread's device is the program's") {
  set_gpus(2);
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  auto const device = *open_cuda_device(1);
  void* const data = *device->allocate(100);
  CHECK(device->zero(data, 100));
  CHECK(device->mark(nullptr));
  CHECK(device_of_thread() == 0);
  device->release(data, 100);
  CHECK(device_of_thread() == 0);
  // A thread that has used none is not made to use the first.
  std::thread([&] {
    CHECK(device->join(nullptr));
    CHECK(device_of_thread() == 1);
  }).join();
}

TEST_CASE("gradients are waited for on every stream they were marked on") {
  set_gpus(1);
  auto const device = *open_cuda_device(0);
  cudaStream_t slow = nullptr, fast = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&slow, 0) == cudaSuccess);
  REQUIRE(cudaStreamCreateWithFlags(&fast, 0) == cudaSuccess);
  auto const backward = occupy(slow);
  REQUIRE(device->mark(slow));
  REQUIRE(device->mark(fast));
  std::atomic<bool> waited{false};
  std::thread reducer([&] { waited = bool(device->wait_for_mark()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(!waited);
  backward->done = true;
  reducer.join();
  CHECK(waited);
  cudaStreamDestroy(slow);
  cudaStreamDestroy(fast);
}

}  // namespace gleaner::gpu
