// SPDX-License-Identifier: Apache-2.0
/// The data planes of this build that need nothing but this machine.
#include "planes/device_memory.hh"
#include "planes/walled_device.hh"

namespace gleaner::test {
namespace {

PlaneUnderTest plane(std::string kind, PlaneUnderTest::Hosting hosting) {
  PlaneUnderTest entry;
  entry.hosting = hosting;
  entry.name =
      kind + (hosting == PlaneUnderTest::Hosting::threads ? ", threads"
                                                          : ", processes");
  entry.make = [kind](int, PlaneOptions const& options) {
    return make_plane(kind, options);
  };
  return entry;
}

/// As with gradients on a GPU, where members have no NCCL.
PlaneUnderTest on_a_device(std::string const& kind) {
  auto entry = plane(kind, PlaneUnderTest::Hosting::threads);
  entry.name += ", buffers on a device";
  auto const device = std::make_shared<WalledDevice>();
  entry.make = [kind, device](int, PlaneOptions options) {
    options.device = device;
    return make_plane(kind, options);
  };
  entry.memory = [device](std::size_t bytes) {
    return std::make_unique<DeviceMemory>(device, bytes);
  };
  return entry;
}

}  // namespace

std::vector<PlaneUnderTest> planes_under_test() {
  using Hosting = PlaneUnderTest::Hosting;
  std::vector<PlaneUnderTest> planes;
  auto self = plane("self", Hosting::threads);
  self.members_max = 1;
  planes.push_back(self);
  if (planes_available().find("gloo") != std::string::npos)
    for (auto hosting : {Hosting::threads, Hosting::processes})
      planes.push_back(plane("gloo", hosting));
  if (planes_available().find("gloo") != std::string::npos)
    planes.push_back(on_a_device("gloo"));
  return planes;
}

}  // namespace gleaner::test
