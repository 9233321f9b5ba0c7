// SPDX-License-Identifier: Apache-2.0
/// The data plane of a member that is alone.
#pragma once

#include <atomic>

#include "runtime/comm/comm.hh"

namespace gleaner {

class SelfPlane final : public Plane {
 public:
  /// Between buffers of this device; NULL: of the host.
  explicit SelfPlane(std::shared_ptr<Device> device = nullptr)
      : device_(std::move(device)) {}

  Result<void> connect(Exchange const& exchange, double timeout_s) override;
  Result<void> allreduce(void const* local, void* sum, std::size_t n,
                         Element type) override;
  void stop() override { stopped_ = true; }

 private:
  std::shared_ptr<Device> const device_;
  std::atomic<bool> stopped_{false};
};

}  // namespace gleaner
