// SPDX-License-Identifier: Apache-2.0
/// Baseline policy: the same number of nodes for every trainer.
#pragma once

#include "alloc/allocator.hh"

namespace gleaner::alloc {

/// Number of nodes for each trainer, in the order given.
///
/// The published baseline, its quirk included: with N nodes and J trainers,
/// s = ⌊N/J⌋; a trainer gets min(s, nodes_max) if s > nodes_min, else none.
/// Then, first come, a trainer below its maximum takes min(nodes_max − has,
/// left) if that brings it to at least nodes_min.
std::vector<int> share_counts(std::vector<Trainer> const& trainers, int nodes);

class EqualShare final : public Allocator {
 public:
  Result<Decision> allocate(Problem const& problem,
                            std::chrono::milliseconds limit) override;
};

}  // namespace gleaner::alloc
