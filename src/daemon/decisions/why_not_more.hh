// SPDX-License-Identifier: Apache-2.0
/// Why has a training not more nodes?  In a few words, for `gleaner status`.
///
/// Follows the planner through what it looks at, and names the first thing that
/// is in the way: what concerns the training, then all leases, then the nodes.
/// Pure, like the planner.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "daemon/decisions/planner.hh"

namespace gleaner::daemon {

class WhyNotMore {
 public:
  /// `stopped` says why nothing is lent to anybody; "": nodes are lent.
  WhyNotMore(PlanInput const& input, std::string stopped);

  /// "at its maximum", "no idle node", "leases_per_user_max is reached (8)", …
  std::string of(TrainerEntry const& trainer) const;

 private:
  /// Nodes of one kind that no job uses.
  struct Kind {
    int lent = 0;
    int drained = 0;
    int kept = 0;          ///< for jobs that wait, or until Slurm could preempt
    int brief = 0;         ///< Slurm means to use them too soon
    double longest_s = 0;  ///< until it does, of the brief ones
    std::string idle;      ///< one that is not lent
    std::vector<std::string> free;  ///< could be lent
  };

  std::string misfit_of(std::string const& place,
                        TrainerEntry const& trainer) const;
  bool is_cut(TrainerEntry const& trainer) const;
  std::string nodes_for(TrainerEntry const& trainer, int used) const;

  PlanInput input_;
  std::string stopped_;
  std::map<JobId, std::vector<Lease const*>> used_;  ///< leases, by trainer
  std::vector<Kind> kinds_;                          ///< as in the snapshot
};

}  // namespace gleaner::daemon
