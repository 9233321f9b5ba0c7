// SPDX-License-Identifier: Apache-2.0
/// How a member waits for its links: until something moves, a peer is silent
/// for too long, or its plane is stopped.
#pragma once

#include <cstdint>
#include <span>

#include "core/result.hh"
#include "runtime/comm/tcp/link.hh"
#include "runtime/comm/tcp/stop_signal.hh"

namespace gleaner::comm::tcp {

class Traffic {
 public:
  /// A link is lost after so many seconds of silence; 0: as TCP sees fit.
  Traffic(StopSignal const& stop, double silence_s)
      : stop_(stop), silence_s_(silence_s) {}

  struct Wait {
    Link const* link = nullptr;  ///< NULL: none
    short events = 0;            ///< POLLIN, POLLOUT
  };
  /// Until one of these is so, or may be.  Fails with unavailable.
  Result<void> wait(std::span<Wait const> waits) const;

  /// Send and receive at once; either link may be NULL, and both the same.
  struct Sending {
    Link* link = nullptr;
    void const* data = nullptr;
    std::size_t bytes = 0;
  };
  struct Receiving {
    Link* link = nullptr;
    void* data = nullptr;
    std::size_t bytes = 0;
  };
  Result<void> exchange(Sending out, Receiving in, std::uint64_t operation,
                        std::uint32_t piece) const;

 private:
  StopSignal const& stop_;
  double const silence_s_;
};

}  // namespace gleaner::comm::tcp
