// SPDX-License-Identifier: Apache-2.0
/// The data plane of a member that is alone.
#pragma once

#include <atomic>

#include "runtime/comm/comm.hh"

namespace gleaner::comm {

class SelfPlane final : public Plane {
 public:
  /// Between buffers of this device; NULL: of the host.
  explicit SelfPlane(std::shared_ptr<Device> device = nullptr)
      : device_(std::move(device)) {}

  Result<void> connect(Exchange const& exchange, double timeout_s) override;
  Result<void> allreduce(void const* local, void* sum, std::size_t n,
                         Element type) override;
  Result<void> reduce_scatter(void const* local, void* part,
                              std::span<std::size_t const> cuts,
                              Element type) override {
    return allreduce(local, part, cuts.back(), type);
  }
  Result<void> all_gather(void const* part, void* all,
                          std::span<std::size_t const> cuts,
                          Element type) override {
    if (part == all) return check();
    return allreduce(part, all, cuts.back(), type);
  }
  Result<void> broadcast(void*, std::size_t, int) override { return check(); }
  Result<std::unique_ptr<Plane>> group(std::vector<int> const&,
                                       double) override {
    if (auto going = check(); !going) return going.error();
    return std::unique_ptr<Plane>(new SelfPlane(device_));
  }
  void stop() override { stopped_ = true; }

 private:
  Result<void> check() const;

  std::shared_ptr<Device> const device_;
  std::atomic<bool> stopped_{false};
};

}  // namespace gleaner::comm
