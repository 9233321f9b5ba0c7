// SPDX-License-Identifier: Apache-2.0
/// A plane that waits before it says that a sum is there.
#include "runtime/comm/comm_slowed.hh"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace gleaner::comm {
namespace {

using Clock = std::chrono::steady_clock;

class SlowedPlane final : public Plane {
 public:
  SlowedPlane(std::unique_ptr<Plane> plane, SlowLink const& link, int size)
      : plane_(std::move(plane)), link_(link), size_(size) {}

  Result<void> connect(Exchange const& exchange, double timeout_s) override {
    return plane_->connect(exchange, timeout_s);
  }

  /// The time counts from when all have come, as on a real link; a sum takes
  /// the plane so little time beside it that its end is taken for that.
  Result<void> allreduce(void const* local, void* sum, std::size_t n,
                         Element type) override {
    if (auto done = plane_->allreduce(local, sum, n, type); !done) return done;
    auto const end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(ring_s(
                                            link_, size_, n * size_of(type))));
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, end, [this] { return stopped_; });
    if (stopped_) return Error{Errc::unavailable, "data plane stopped"};
    return {};
  }

  bool at_rest() const override { return plane_->at_rest(); }

  Result<void> reduce_scatter(void const* local, void* part,
                              std::span<std::size_t const> cuts,
                              Element type) override {
    return plane_->reduce_scatter(local, part, cuts, type);
  }
  Result<void> all_gather(void const* part, void* all,
                          std::span<std::size_t const> cuts,
                          Element type) override {
    return plane_->all_gather(part, all, cuts, type);
  }
  Result<void> broadcast(void* data, std::size_t bytes, int root) override {
    return plane_->broadcast(data, bytes, root);
  }
  Result<void> send(void const* data, std::size_t bytes, int to) override {
    return plane_->send(data, bytes, to);
  }
  Result<void> receive(void* data, std::size_t bytes, int from) override {
    return plane_->receive(data, bytes, from);
  }
  Result<std::unique_ptr<Plane>> group(std::vector<int> const& ranks,
                                       double timeout_s) override {
    return plane_->group(ranks, timeout_s);
  }

  void stop() override {
    {
      std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    plane_->stop();
  }

 private:
  std::unique_ptr<Plane> const plane_;
  SlowLink const link_;
  int const size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
};

}  // namespace

double ring_s(SlowLink const& link, int size, std::size_t bytes) {
  if (size < 2) return 0;
  double const hops = 2.0 * (size - 1);
  return hops * link.latency_s +
         hops / size * static_cast<double>(bytes) / link.bytes_per_s;
}

std::unique_ptr<Plane> make_slowed_plane(std::unique_ptr<Plane> plane,
                                         SlowLink const& link, int size) {
  return std::make_unique<SlowedPlane>(std::move(plane), link, size);
}

}  // namespace gleaner::comm
