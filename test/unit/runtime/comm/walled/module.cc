// SPDX-License-Identifier: Apache-2.0
/// libgleaner_gpu.so without a GPU: its device is one of this processor.
///
/// GLEANER_TEST_STREAM=N: one without a wall, on whose stream N the program is
/// to work.  GLEANER_TEST_RESTLESS=N: in place of NCCL a plane that copies and
/// sums by TCP; member N's fails once, and may write to its sum afterwards.
#include <cstdlib>
#include <string_view>

#include "config.h"
#include "planes/walled_device.hh"
#include "runtime/comm/gpu_module.hh"

namespace {

using namespace gleaner;

std::shared_ptr<gleaner::comm::test::WalledDevice> made_device() {
  char const* stream = std::getenv("GLEANER_TEST_STREAM");
  auto device = std::make_shared<gleaner::comm::test::WalledDevice>(
      stream ? gleaner::comm::test::Wall::no : gleaner::comm::test::Wall::yes);
  if (stream) device->expect_stream(reinterpret_cast<void*>(std::atol(stream)));
  return device;
}

/// One for all, so that a test reaches the memory that libgleaner uses.
Result<std::shared_ptr<comm::Device>> open_device(int index) {
  static auto const device = made_device();
  if (index != 0)
    return Error{Errc::not_found, "no CUDA device " + std::to_string(index)};
  return std::shared_ptr<comm::Device>(device);
}

class RestlessPlane final : public comm::Plane {
 public:
  explicit RestlessPlane(std::unique_ptr<comm::Plane> plane)
      : plane_(std::move(plane)) {}

  Result<void> connect(comm::Exchange const& exchange,
                       double timeout_s) override {
    return plane_->connect(exchange, timeout_s);
  }
  Result<void> allreduce(void const* local, void* sum, std::size_t n,
                         comm::Element type) override {
    constexpr int good_sums = 50;
    if (++sums_ <= good_sums) return plane_->allreduce(local, sum, n, type);
    plane_->stop();
    at_rest_ = false;
    return Error{Errc::unavailable, "a sum still runs on the device"};
  }
  bool at_rest() const override { return at_rest_; }
  void stop() override { plane_->stop(); }

 private:
  std::unique_ptr<comm::Plane> const plane_;
  int sums_ = 0;
  bool at_rest_ = true;
};

Result<std::unique_ptr<comm::Plane>> make_plane_of_it(
    comm::PlaneOptions const& options) {
  char const* restless = std::getenv("GLEANER_TEST_RESTLESS");
  char const* member = std::getenv("GLEANER_MEMBER");
  if (!restless || !member)
    return Error{Errc::not_found, "no NCCL between walled devices"};
  auto plane = comm::make_plane("tcp", options);
  if (!plane || std::string_view(restless) != member) return plane;
  return std::unique_ptr<comm::Plane>(new RestlessPlane(std::move(*plane)));
}

}  // namespace

extern "C" {
extern gleaner::comm::GpuModule const gleaner_gpu_module;
gleaner::comm::GpuModule const gleaner_gpu_module = {
    PACKAGE_VERSION, open_device, make_plane_of_it};
}
