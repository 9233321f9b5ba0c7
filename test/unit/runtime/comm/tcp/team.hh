// SPDX-License-Identifier: Apache-2.0
/// Planes of one generation whose members are threads of the test.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "runtime/comm/comm.hh"

namespace gleaner::comm::test {

inline double seconds_of(auto call) {
  auto const begun = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun)
      .count();
}

class Team {
 public:
  using Change = std::function<void(PlaneOptions&)>;
  /// Called with everybody's contact data, before members see them.
  using Look = std::function<void(std::vector<std::string> const&)>;

  /// A node each, one secret, generation 7; `change` may say otherwise.
  explicit Team(int size, Change const& change = {}) {
    for (int rank = 0; rank < size; ++rank) {
      PlaneOptions options{rank, size, "127.0.0.1"};
      options.secret = "of the test";
      options.generation = 7;
      options.node = "n" + std::to_string(rank);
      if (change) change(options);
      auto made = make_plane("tcp", options);
      planes.push_back(made ? std::move(*made) : nullptr);
    }
  }

  /// What connect() of each member returned.
  std::vector<Result<void>> connect(double timeout_s = 20, Look look = {}) {
    look_ = std::move(look);
    return on_each([&](std::size_t i) {
      return planes[i]->connect(
          [this, i](std::string const& key, std::string const& blob) {
            return exchange(int(i), key, blob);
          },
          timeout_s);
    });
  }

  /// call(i) on a thread for each member.
  std::vector<Result<void>> on_each(auto call) {
    std::vector<Result<void>> results(planes.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < planes.size(); ++i)
      threads.emplace_back([&, i] { results[i] = call(i); });
    for (auto& thread : threads) thread.join();
    return results;
  }

  std::vector<std::unique_ptr<Plane>> planes;

 private:
  Result<std::vector<std::string>> exchange(int rank, std::string const& key,
                                            std::string const& blob) {
    std::unique_lock lock(mutex_);
    auto& blobs = blobs_[key];
    blobs[rank] = blob;
    std::vector<std::string> all;
    if (blobs.size() == planes.size() && look_) {
      for (auto const& [r, text] : blobs) all.push_back(text);
      look_(all);
      look_ = {};
    }
    changed_.notify_all();
    changed_.wait(lock,
                  [&] { return blobs.size() == planes.size() && !look_; });
    all.clear();
    for (auto const& [r, text] : blobs) all.push_back(text);
    return all;
  }

  Look look_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::map<int, std::string>> blobs_;
};

}  // namespace gleaner::comm::test
