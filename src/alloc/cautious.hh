// SPDX-License-Identifier: Apache-2.0
/// How is a plan made when nobody knows how fast trainers would be?
///
/// The nodes that a trainer has count at the expected speed, more nodes at the
/// least speed that they may bring.  So no trainer loses nodes for a mere hope.
/// Nodes that are left over are then offered at the most that they may bring,
/// to trainers that would grow beyond the largest size they were measured on,
/// up to twice that size.  A trainer stays on a size that it tries until it is
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
