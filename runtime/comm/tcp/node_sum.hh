// SPDX-License-Identifier: Apache-2.0
/// How the members of one node sum in the memory they share.
///
/// A buffer goes through it in blocks that stay in the processors' caches.
/// While a member copies its part of one block into its slot, it adds up its
/// slice of the block before from all slots, and copies the finished block
/// before that out: one meeting for each block.  What is small is added up from
/// the slots by everybody, which takes a single meeting.  Slots are added in
/// the order of seats, so all get equal bits.
#pragma once

#include "runtime/comm/element.hh"
#include "runtime/comm/tcp/node_memory.hh"
#include "runtime/comm/tcp/ring_sum.hh"

namespace gleaner::comm::tcp {

class NodeSum {
 public:
  explicit NodeSum(NodeMemory& memory) : memory_(memory) {}

  enum class For { all, leader };  ///< who gets the sum: seat 0 is the leader

  /// As Plane::allreduce(); `sum` may be `local`.  All seats call the same.
  Result<void> run(void const* local, void* sum, std::size_t n, Element type,
                   For whom);

  /// What `seat` has in `data`, to all others.
  Result<void> spread(void* data, std::size_t bytes, int seat);

  /// Every seat has its own parts of `data`, and then the whole.  Parts do not
  /// overlap.
  Result<void> gather(void* data, std::size_t bytes,
                      std::vector<Range> const& own);

 private:
  Result<void> run_small(void const* local, void* sum, std::size_t n,
                         Element type);
  void add_slice(std::uint64_t turn, std::size_t n, Element type);

  NodeMemory& memory_;
  std::uint64_t turn_ = 0;  ///< blocks so far
};

}  // namespace gleaner::comm::tcp
