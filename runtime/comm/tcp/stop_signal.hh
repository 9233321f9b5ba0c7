// SPDX-License-Identifier: Apache-2.0
/// How another thread ends what waits in poll(): once, and for good.
#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "core/result.hh"
#include "runtime/os/fd.hh"

namespace gleaner::comm::tcp {

class StopSignal {
 public:
  StopSignal() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  bool good() const { return bool(event_); }

  /// Readable from then on.
  void raise() {
    raised_ = true;
    std::uint64_t const one = 1;
    (void)!::write(event_.get(), &one, sizeof one);
  }
  bool raised() const { return raised_; }

  pollfd polled() const { return {event_.get(), POLLIN, 0}; }
  int descriptor() const { return event_.get(); }

  static Error error() { return {Errc::unavailable, "data plane stopped"}; }

 private:
  os::Fd const event_;
  std::atomic<bool> raised_{false};
};

}  // namespace gleaner::comm::tcp
