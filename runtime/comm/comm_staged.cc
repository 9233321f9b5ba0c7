// SPDX-License-Identifier: Apache-2.0
#include "runtime/comm/comm_staged.hh"

#include <atomic>

namespace gleaner::comm {
namespace {

/// Memory of the host that a device reaches fastest.  Grows, never shrinks.
class HostBuffer {
 public:
  explicit HostBuffer(Device& device) : device_(device) {}
  ~HostBuffer() { release(); }
  HostBuffer(HostBuffer const&) = delete;

  /// NULL when there is no memory.
  void* of(std::size_t bytes) {
    if (bytes <= bytes_) return data_;
    release();
    data_ = device_.allocate_host(bytes);
    if (data_) bytes_ = bytes;
    return data_;
  }

 private:
  void release() {
    if (data_) device_.release_host(data_, bytes_);
    data_ = nullptr;
    bytes_ = 0;
  }

  Device& device_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

class StagedPlane final : public Plane {
 public:
  StagedPlane(std::unique_ptr<Plane> plane, std::shared_ptr<Device> device)
      : device_(std::move(device)),
        plane_(std::move(plane)),
        local_(*device_),
        sum_(*device_) {}

  Result<void> connect(Exchange const& exchange, double timeout_s) override {
    return plane_->connect(exchange, timeout_s);
  }

  Result<void> allreduce(void const* local, void* sum, std::size_t n,
                         Element type) override {
    if (n == 0) return plane_->allreduce(nullptr, nullptr, 0, type);
    auto const bytes = n * size_of(type);
    auto* mine = local_.of(bytes);
    auto* all = sum_.of(bytes);
    if (!mine || !all)
      return Error{
          Errc::unavailable,
          "no memory to copy " + std::to_string(bytes) + " bytes of a GPU to"};
    if (auto copied = device_->to_host(mine, local, bytes); !copied)
      return copied;
    if (auto done = plane_->allreduce(mine, all, n, type); !done) return done;
    // Nothing may write to `sum` once stop() has been called and seen.
    if (stopped_) return Error{Errc::unavailable, "data plane stopped"};
    return device_->from_host(sum, all, bytes);
  }

  void stop() override {
    stopped_ = true;
    plane_->stop();
  }

 private:
  std::shared_ptr<Device> const device_;
  std::unique_ptr<Plane> const plane_;
  std::atomic<bool> stopped_{false};
  HostBuffer local_, sum_;  ///< of the bucket being summed
};

}  // namespace

std::unique_ptr<Plane> make_staged_plane(std::unique_ptr<Plane> plane,
                                         std::shared_ptr<Device> device) {
  return std::make_unique<StagedPlane>(std::move(plane), std::move(device));
}

}  // namespace gleaner::comm
