// SPDX-License-Identifier: Apache-2.0
/// libgleaner_gpu.so without a GPU: its device is one of this processor.
///
/// GLEANER_TEST_STREAM=N: one without a wall, on whose stream N the program is
/// to work.
#include <cstdlib>

#include "config.h"
#include "planes/walled_device.hh"
#include "runtime/comm/gpu_module.hh"

namespace {

using namespace gleaner;

std::shared_ptr<test::WalledDevice> made_device() {
  char const* stream = std::getenv("GLEANER_TEST_STREAM");
  auto device = std::make_shared<test::WalledDevice>(stream ? test::Wall::no
                                                            : test::Wall::yes);
  if (stream) device->expect_stream(reinterpret_cast<void*>(std::atol(stream)));
  return device;
}

/// One for all, so that a test reaches the memory that libgleaner uses.
Result<std::shared_ptr<Device>> open_device(int index) {
  static auto const device = made_device();
  if (index != 0)
    return Error{Errc::not_found, "no CUDA device " + std::to_string(index)};
  return std::shared_ptr<Device>(device);
}

Result<std::unique_ptr<Plane>> make_plane_of_it(PlaneOptions const&) {
  return Error{Errc::not_found, "no NCCL between walled devices"};
}

}  // namespace

extern "C" {
extern gleaner::GpuModule const gleaner_gpu_module;
gleaner::GpuModule const gleaner_gpu_module = {PACKAGE_VERSION, open_device,
                                               make_plane_of_it};
}
