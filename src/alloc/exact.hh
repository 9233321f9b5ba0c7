// SPDX-License-Identifier: Apache-2.0
/// The policies with the largest predicted gain, found exactly.
#pragma once

#include "alloc/allocator.hh"

namespace gleaner::alloc {

/// Nodes are interchangeable in the objective, so the optimum depends on
/// counts only.  `exact`, `freetrain` and `gleaner` find it alike and differ
/// in what a count is worth (worth.hh) and in which nodes are handed out.
/// Curves may have any shape.
class Exact final : public Allocator {
 public:
  explicit Exact(AllocatorOptions options) : options_(std::move(options)) {}
  Result<Decision> allocate(Problem const& problem,
                            std::chrono::milliseconds limit) override;

 private:
  AllocatorOptions options_;
};

}  // namespace gleaner::alloc
