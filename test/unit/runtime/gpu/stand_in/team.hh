// SPDX-License-Identifier: Apache-2.0
/// Members with NCCL planes over the stand-ins, in one process.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/gpu/comm_nccl.hh"
#include "runtime/gpu/device_cuda.hh"
#include "stand_in/gpu.hh"

namespace gleaner::gpu::test {

/// What the coordinator does with contact data.
class Board {
 public:
  explicit Board(int size) : size_(size) {}

  Result<std::vector<std::string>> exchange(int rank, std::string const& key,
                                            std::string const& blob,
                                            double limit_s) {
    std::unique_lock lock(mutex_);
    auto& blobs = blobs_[key];
    blobs[rank] = blob;
    changed_.notify_all();
    if (!changed_.wait_for(lock, std::chrono::duration<double>(limit_s),
                           [&] { return int(blobs.size()) == size_; }))
      return Error{Errc::timed_out, "a member is not there"};
    std::vector<std::string> all;
    for (auto const& [r, text] : blobs) all.push_back(text);
    return all;
  }

 private:
  int const size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::map<int, std::string>> blobs_;
};

/// Each member has a GPU of its own, unless a test says which.
class Team {
 public:
  explicit Team(
      int size, std::vector<int> gpus = {},
      std::chrono::milliseconds abort_time_max = std::chrono::seconds(10))
      : board_(size) {
    set_gpus(size);
    for (int rank = 0; rank < size; ++rank) {
      comm::PlaneOptions options{rank, size, "127.0.0.1"};
      options.node = "n1";
      options.device =
          *open_cuda_device(gpus.empty() ? rank : gpus[std::size_t(rank)]);
      devices.push_back(options.device);
      planes.push_back(std::move(*make_nccl_plane(options, abort_time_max)));
    }
  }

  /// All but `absent`, each on a thread of its own; the first error.
  Result<void> connect(int absent = -1, double limit_s = 10) {
    std::vector<Result<void>> done(planes.size());
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < planes.size(); ++rank)
      if (int(rank) != absent)
        threads.emplace_back([&, rank] {
          done[rank] = planes[rank]->connect(
              [&](std::string const& key, std::string const& blob) {
                return board_.exchange(int(rank), key, blob, limit_s);
              },
              limit_s);
        });
    for (auto& thread : threads) thread.join();
    for (auto const& one : done)
      if (!one) return one;
    return {};
  }

  /// Of one float; each member adds its rank + 1.
  Result<void> sum(int rank) {
    auto& device = *devices[std::size_t(rank)];
    float const mine = float(rank + 1);
    void* const local = *device.allocate(sizeof mine);
    void* const sum = *device.allocate(sizeof mine);
    (void)device.from_host(local, &mine, sizeof mine);
    auto done = planes[std::size_t(rank)]->allreduce(local, sum, 1,
                                                     comm::Element::float32);
    device.release(local, sizeof mine);
    device.release(sum, sizeof mine);
    return done;
  }

  std::vector<std::shared_ptr<comm::Device>> devices;
  std::vector<std::unique_ptr<comm::Plane>> planes;

 private:
  Board board_;
};

}  // namespace gleaner::gpu::test
