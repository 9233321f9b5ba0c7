// SPDX-License-Identifier: Apache-2.0
/// Work that may block, beside the user's thread and the event loop.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "runtime/os/signals.hh"

namespace gleaner::member {

/// A thread per piece of work; the destructor waits for all of them.  What is
/// run must end soon once its owner wants to end.
class Background {
 public:
  ~Background() {
    std::list<Work> rest;
    {
      std::lock_guard lock(mutex_);
      rest.swap(running_);
    }
    for (auto& work : rest) work.thread.join();
  }

  void run(std::function<void()> work) {
    std::lock_guard lock(mutex_);
    running_.remove_if([](Work& w) {
      bool const over = *w.over;
      if (over) w.thread.join();
      return over;
    });
    os::BlockAllSignals in_its_thread;
    auto over = std::make_shared<std::atomic<bool>>(false);
    running_.push_back({over, std::thread([work = std::move(work), over] {
                          work();
                          *over = true;
                        })});
  }

 private:
  struct Work {
    std::shared_ptr<std::atomic<bool>> over;
    std::thread thread;
  };
  std::mutex mutex_;
  std::list<Work> running_;
};

}  // namespace gleaner::member
