// SPDX-License-Identifier: Apache-2.0
/// Which thread uses files on a disk that may hang, so that no other waits?
#pragma once

#include <functional>
#include <memory>

namespace gleaner::os {

/// A thread that runs the functions it is given, in order.
///
/// A shared file system may not answer for minutes.  A thread that writes to
/// it then cannot be ended, either; so a queue that goes away waits for its
/// work for a bounded time, and leaves the thread behind.  Work must therefore
/// own what it uses.
class DiskQueue {
 public:
  /// How long the end of a queue waits for its work.
  static constexpr double patience_s = 1;

  DiskQueue();
  ~DiskQueue();
  DiskQueue(DiskQueue const&) = delete;
  DiskQueue& operator=(DiskQueue const&) = delete;

  void push(std::function<void()> work);

  /// Wait up to `seconds` until all functions have run.  Have they?
  bool wait(double seconds);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace gleaner::os
