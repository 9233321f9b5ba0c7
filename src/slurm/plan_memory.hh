// SPDX-License-Identifier: Apache-2.0
/// What did backfill plan before its present cycle?
///
/// A backfill cycle begins by forgetting the plans of all pending jobs and
/// then makes them one by one; on a large machine that takes a minute.  A look
/// in between sees jobs without a plan, and would mistake the holes before them
/// for open-ended ones.
#pragma once

#include <unordered_map>

#include "slurm/snapshot.hh"

namespace gleaner::slurm {

class PlanMemory {
 public:
  /// Give each eligible job that has lost its plan the last one seen, until a
  /// whole cycle has passed without planning it.
  void restore(ClusterRecords* records);

 private:
  struct Plan {
    NodeSet nodes;
    TimeS start_s = 0;
    TimeS lost_in_cycle_s = 0;  ///< begin of the cycle; 0: not lost
  };
  std::unordered_map<JobId, Plan> plans_;
};

}  // namespace gleaner::slurm
