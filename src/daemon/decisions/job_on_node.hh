// SPDX-License-Identifier: Apache-2.0
/// What does a job take of one node?
#pragma once

#include <cstddef>
#include <vector>

#include "core/cluster.hh"
#include "daemon/decisions/job_shape.hh"
#include "daemon/decisions/supply_nodes.hh"

namespace gleaner::daemon {

/// What Slurm allocates to jobs.
enum class JobMemory {
  counted,
  ignored,  ///< SelectTypeParameters without _Memory
};

class JobOnNode {
 public:
  /// All but `memory` must outlive this.
  JobOnNode(PendingJob const& job, JobShape const& shape,
            std::vector<NodeKind> const& kinds, JobMemory memory)
      : job_(job), shape_(shape), kinds_(kinds), memory_(memory) {}

  /// Could it use the node this way?
  bool fits(SupplyEntry const& entry, SupplyNode const& node) const;

  /// What it gets of the node; of what it counts over all nodes what there is
  /// of `left`, which is less by that then.
  Resources needs(SupplyEntry const& entry, SupplyNode const& node,
                  Gres* left) const;

  /// The parts that it takes for that, as indices, ascending.
  std::vector<std::size_t> parts(SupplyEntry const& entry,
                                 SupplyNode const& node,
                                 Resources const& needs) const;

 private:
  std::int64_t memory_mb(std::int64_t all_mb) const;

  PendingJob const& job_;
  JobShape const& shape_;
  std::vector<NodeKind> const& kinds_;
  JobMemory memory_;
};

/// Take what there is of `left` from `free`; what that is.
Gres take_units(Gres const& free, Gres* left);

}  // namespace gleaner::daemon
