// SPDX-License-Identifier: Apache-2.0
/// The memory that members of one node share, and how they wait for each other.
///
/// Each member has two slots, and all have two results.  meet() is a barrier:
/// it spins for a moment, then sleeps in poll() on a doorbell, which the last
/// one rings.  Members are connected as a tree by UNIX sockets, through which
/// they pass memory and doorbells down.  A socket that closes means that a
/// member is gone; the first member to see it wakes all others.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "core/result.hh"
#include "runtime/comm/tcp/stop_signal.hh"
#include "runtime/os/fd.hh"

namespace gleaner::comm::tcp {

/// Seats that this one is connected to; none is itself's parent.
int parent_seat(int seat);  ///< -1: none
std::vector<int> child_seats(int seat, int seats);

class NodeMemory {
 public:
  /// Make it (seat 0) or take it from the parent, and hand it to the children.
  /// `parent` is not open at seat 0.  Fails with io, with timed_out and with
  /// unavailable.
  static Result<std::unique_ptr<NodeMemory>> join(
      int seat, int seats, os::Fd parent, std::vector<os::Fd> children,
      StopSignal const& stop, std::chrono::steady_clock::time_point end);
  ~NodeMemory();
  NodeMemory(NodeMemory const&) = delete;

  int seat() const { return seat_; }
  int seats() const { return seats_; }
  std::size_t slot_bytes() const { return slot_bytes_; }
  char* slot(std::uint64_t turn, int seat) const;
  char* result(std::uint64_t turn) const;

  /// Until all seats have called it.  Fails with unavailable when one of them
  /// is gone or has broken it up, or the plane is stopped.
  Result<void> meet();

  /// Wake all seats; meet() fails from now on.  From any thread.
  void break_up();

 private:
  struct Shared;

  NodeMemory(int seat, int seats, StopSignal const& stop);
  Result<void> make();
  Result<void> take(std::chrono::steady_clock::time_point end);
  Result<void> hand_down();
  Result<void> map();
  std::size_t bytes() const;
  bool spin(std::uint32_t turn) const;
  Result<void> sleep(std::uint32_t turn);
  Error gone() const;

  int const seat_, seats_;
  std::size_t const slot_bytes_;
  bool const crowded_;  ///< more seats than processors
  StopSignal const& stop_;
  os::Fd parent_;
  std::vector<os::Fd> children_;
  os::Fd memory_, broken_;
  std::array<os::Fd, 2> bells_;  ///< of even and of odd turns
  char* data_ = nullptr;
};

}  // namespace gleaner::comm::tcp
