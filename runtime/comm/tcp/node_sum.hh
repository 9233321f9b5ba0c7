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

namespace gleaner::tcp {

class NodeSum {
 public:
  explicit NodeSum(NodeMemory& memory) : memory_(memory) {}

  enum class For { all, leader };  ///< who gets the sum: seat 0 is the leader

  /// As Plane::allreduce(); `sum` may be `local`.  All seats call the same.
  Result<void> run(void const* local, void* sum, std::size_t n, Element type,
                   For whom);

  /// What the leader has in `sum`, to all others.
  Result<void> spread(void* sum, std::size_t bytes);

 private:
  Result<void> run_small(void const* local, void* sum, std::size_t n,
                         Element type);
  void add_slice(std::uint64_t turn, std::size_t n, Element type);

  NodeMemory& memory_;
  std::uint64_t turn_ = 0;  ///< blocks so far
};

}  // namespace gleaner::tcp
