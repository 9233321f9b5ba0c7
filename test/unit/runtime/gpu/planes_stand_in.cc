// SPDX-License-Identifier: Apache-2.0
/// The NCCL plane over stand-ins of CUDA and NCCL: the conformance cases.
#include "planes/device_memory.hh"
#include "runtime/gpu/comm_nccl.hh"
#include "runtime/gpu/device_cuda.hh"
#include "stand_in/gpu.hh"

namespace gleaner::comm::test {
namespace {

thread_local int member_of_thread = 0;

std::shared_ptr<Device> own_device() {
  return *gpu::open_cuda_device(member_of_thread);
}

}  // namespace

std::vector<PlaneUnderTest> planes_under_test() {
  PlaneUnderTest entry;
  entry.name = "nccl, threads, stand-ins of CUDA and NCCL";
  entry.is_stand_in = true;
  entry.enter = [](int member) {
    gpu::test::set_gpus(8);
    member_of_thread = member;
  };
  entry.make = [](int member, PlaneOptions options) {
    member_of_thread = member;
    options.device = own_device();
    return gpu::make_nccl_plane(options);
  };
  entry.memory = [](std::size_t bytes) {
    return std::make_unique<DeviceMemory>(own_device(), bytes);
  };
  return {entry};
}

}  // namespace gleaner::comm::test
