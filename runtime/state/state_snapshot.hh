// SPDX-License-Identifier: Apache-2.0
/// How is the state of one boundary kept while training continues?
///
/// The state changes in the program's update and nowhere else.  A thread of its
/// own copies it aside while gradients are computed; what is left when the
/// next update is to begin is copied before it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

#include "runtime/os/memory.hh"
#include "runtime/state/registry.hh"

namespace gleaner::state {

class StateSnapshot {
 public:
  /// Room for a copy of these parts of the state; nothing is copied yet.
  explicit StateSnapshot(std::vector<std::vector<Span>> const& parts);

  bool good() const { return room_.good(); }
  std::size_t bytes() const { return room_.bytes(); }

  /// Let the system provide that room now: first touches take longer than the
  /// copy.
  void provide();

  /// Returns when all is copied, or after stop().  Several threads may call it
  /// at a time, and share the work.
  void copy();

  /// Nothing is read from the state any more.
  void stop();

  /// Part `i`, after copy().
  std::vector<Span> const& part(std::size_t i) const { return copied_[i]; }

 private:
  struct Piece {
    char const* from;
    char* to;
    std::size_t bytes;
  };

  os::Memory room_;
  std::vector<std::vector<Span>> copied_;
  std::mutex mutex_;  ///< for what follows
  std::condition_variable changed_;
  std::vector<Piece> left_;
  int copying_ = 0;  ///< threads that are at a piece
};

}  // namespace gleaner::state
