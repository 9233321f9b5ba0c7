// SPDX-License-Identifier: Apache-2.0
/// Where calls to Slurm wait for their answers: one thread beside the loop.
///
/// A hanging slurmctld blocks only this thread.  The queue is bounded: what
/// does not fit is refused, and whoever asked tries again.
#pragma once

#include <asio.hpp>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace gleaner {

class SlurmWorker {
 public:
  /// What to do back in the event loop.
  using Then = std::function<void()>;
  /// Runs in the thread.
  using Work = std::function<Then()>;
  enum class Urgency {
    now,  ///< before everything that waits: the end of a lease
    in_turn,
  };

  explicit SlurmWorker(asio::io_context& io, std::size_t queue_max = 4096);
  /// Waits for the call under way: call stop() first.
  ~SlurmWorker();

  /// False when the queue is full.
  bool submit(Urgency urgency, Work work);

  /// Drop what waits and end the thread.  False when the call under way did
  /// not return in time.
  bool stop(double seconds);

 private:
  void run();

  asio::io_context& io_;
  std::size_t queue_max_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> queue_;
  bool stopping_ = false;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace gleaner
