// SPDX-License-Identifier: Apache-2.0
/// Where calls to Slurm wait for their answers: a few threads beside the loop.
///
/// A hanging slurmctld blocks only these.  The queue is bounded: what does not
/// fit is refused, and the caller tries again.  Work is begun in order, but
/// may overtake: who needs an order waits for the answer first.
#pragma once

#include <asio.hpp>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gleaner::daemon {

class SlurmWorker {
 public:
  /// What to do back in the event loop.
  using Then = std::function<void()>;
  /// Runs in one of the threads.
  using Work = std::function<Then()>;
  enum class Urgency {
    now,  ///< before everything that waits: the end of a lease
    in_turn,
  };

  /// So many calls wait side by side: enough for slurmctld to be the limit when
  /// many leases end, and few enough to be no burden on it.
  static constexpr std::size_t threads_default = 4;

  explicit SlurmWorker(asio::io_context& io, std::size_t queue_max = 4096,
                       std::size_t threads = threads_default);
  /// Waits for the calls under way: call stop() first.
  ~SlurmWorker();

  /// False when the queue is full.
  bool submit(Urgency urgency, Work work);

  /// Drop what waits and end the threads.  False when a call under way did not
  /// return in time.
  bool stop(double seconds);

 private:
  void run();

  asio::io_context& io_;
  std::size_t queue_max_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> queue_;
  bool stopping_ = false;
  std::size_t running_ = 0;  ///< threads that have not ended
  std::vector<std::thread> threads_;
};

}  // namespace gleaner::daemon
