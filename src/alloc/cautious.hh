// SPDX-License-Identifier: Apache-2.0
/// How is a plan made when nobody knows how fast trainers would be?
///
/// What a trainer has counts at the speed that is expected, and more nodes at
/// the least that they may bring: so nobody loses nodes for a hope.  Nodes that
/// nobody wants at that price are then offered to those that could get beyond
/// the largest size they were measured on, up to twice that, as the most that
/// they may bring.  A trainer stays on a size that it tries until it is
/// measured there, unless others want the nodes.
#pragma once

#include <memory>

#include "alloc/allocator.hh"

namespace gleaner::alloc {

/// With trainers whose speed is known it plans as `policy` does, to the bit.
class Cautious final : public Allocator {
 public:
  explicit Cautious(std::unique_ptr<Allocator> policy)
      : policy_(std::move(policy)) {}

  Result<Decision> allocate(Problem const& problem,
                            std::chrono::milliseconds limit) override;

 private:
  std::unique_ptr<Allocator> policy_;
};

}  // namespace gleaner::alloc
