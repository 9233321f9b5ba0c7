// SPDX-License-Identifier: Apache-2.0
/// The data planes of a machine with NVIDIA GPUs: NCCL, and staging.
///
/// One process per member.  Where there are fewer GPUs than members, several
/// share one: NCCL refuses that unless each claims another host, and then moves
/// everything over sockets.  That shows what is right, not what is fast.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "planes/device_memory.hh"
#include "runtime/comm/gpu_module.hh"

namespace gleaner::comm::test {
namespace {

/// This process's GPU.  Opened in members only: CUDA does not survive fork().
std::shared_ptr<Device> own_device() {
  static std::shared_ptr<Device> device;
  if (device) return device;
  auto const module = gpu_module();
  auto opened = module ? (*module)->open_device(0)
                       : Result<std::shared_ptr<Device>>(module.error());
  if (!opened) {
    std::fprintf(stderr, "no GPU: %s\n", opened.error().message.c_str());
    std::_Exit(1);
  }
  return device = *opened;
}

PlaneUnderTest on_gpu(std::string const& kind) {
  PlaneUnderTest entry;
  entry.name = kind + ", processes, buffers on a GPU";
  entry.hosting = PlaneUnderTest::Hosting::processes;
  entry.members_max = 4;
  entry.enter = [](int member) {
    ::setenv("NCCL_HOSTID", ("member-" + std::to_string(member)).c_str(), 1);
    ::setenv("NCCL_SOCKET_IFNAME", "lo", 1);
    ::setenv("NCCL_RUNTIME_CONNECT", "0", 0);  // as the agent does
  };
  entry.make = [kind](int, PlaneOptions options) {
    options.device = own_device();
    return make_plane(kind, options);
  };
  entry.memory = [](std::size_t bytes) {
    return std::make_unique<DeviceMemory>(own_device(), bytes);
  };
  return entry;
}

}  // namespace

std::vector<PlaneUnderTest> planes_under_test() {
  std::vector<PlaneUnderTest> planes = {on_gpu("nccl")};
  planes.push_back(on_gpu("tcp"));
  return planes;
}

}  // namespace gleaner::comm::test
