// SPDX-License-Identifier: Apache-2.0
/// A thread that touches files for others.
#include "runtime/os/disk_queue.hh"

#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace gleaner::os {

struct DiskQueue::State {
  std::mutex mutex;
  std::condition_variable given;  ///< for the thread alone
  std::condition_variable done;   ///< for who waits for the thread
  std::deque<std::function<void()>> work;
  bool busy = false;
  bool ends = false;

  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      given.wait(lock, [&] { return ends || !work.empty(); });
      if (work.empty()) return;
      auto next = std::move(work.front());
      work.pop_front();
      busy = true;
      lock.unlock();
      next();
      next = nullptr;
      lock.lock();
      busy = false;
      if (work.empty()) done.notify_all();
    }
  }
};

DiskQueue::DiskQueue() : state_(std::make_shared<State>()) {
  // Signals are for threads that have time for them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([state = state_] { state->run(); }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

DiskQueue::~DiskQueue() {
  wait(patience_s);
  std::lock_guard lock(state_->mutex);
  state_->ends = true;
  state_->work.clear();
  state_->given.notify_all();
}

void DiskQueue::push(std::function<void()> work) {
  {
    std::lock_guard lock(state_->mutex);
    state_->work.push_back(std::move(work));
    if (state_->busy) return;  // the thread looks before it sleeps
  }
  // With the lock still held, the thread would wake to wait for it.
  state_->given.notify_one();
}

bool DiskQueue::wait(double seconds) {
  std::unique_lock lock(state_->mutex);
  return state_->done.wait_for(
      lock, std::chrono::duration<double>(seconds),
      [&] { return state_->work.empty() && !state_->busy; });
}

}  // namespace gleaner::os
