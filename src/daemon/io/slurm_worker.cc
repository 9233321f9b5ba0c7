// SPDX-License-Identifier: Apache-2.0
/// The threads and their queue.
#include "daemon/io/slurm_worker.hh"

#include <chrono>

namespace gleaner::daemon {

SlurmWorker::SlurmWorker(asio::io_context& io, std::size_t queue_max,
                         std::size_t threads)
    : io_(io), queue_max_(queue_max), running_(threads) {
  for (std::size_t i = 0; i < threads; ++i)
    threads_.emplace_back([this] { run(); });
}

SlurmWorker::~SlurmWorker() {
  stop(0);
  for (auto& thread : threads_) thread.join();
}

bool SlurmWorker::submit(Urgency urgency, Work work) {
  std::lock_guard const lock(mutex_);
  if (stopping_ || queue_.size() >= queue_max_) return false;
  if (urgency == Urgency::now)
    queue_.push_front(std::move(work));
  else
    queue_.push_back(std::move(work));
  changed_.notify_all();
  return true;
}

bool SlurmWorker::stop(double seconds) {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  queue_.clear();
  changed_.notify_all();
  return changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                           [this] { return running_ == 0; });
}

void SlurmWorker::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (queue_.empty()) {
      changed_.wait(lock);
      continue;
    }
    auto const work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    auto then = work();
    if (then) asio::post(io_, std::move(then));
    lock.lock();
  }
  --running_;
  changed_.notify_all();
}

}  // namespace gleaner::daemon
