// SPDX-License-Identifier: Apache-2.0
/// Which nodes are not lent for now, because Slurm took a lease for a job that
/// has not started yet?
///
/// Slurm preempts for a job once, and then for KillWait + MessageTimeout no
/// more (select_nodes(), node_scheduler.c): what is still in the job's way then
/// stays there.  A node that is lent again at once is, and the job that took it
/// waits for as long.  So the nodes of that job are held until it has started
/// or is gone, a job has used them, or Slurm could preempt for it again.
///
/// Pure: a function of snapshots and time.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/cluster.hh"
#include "core/place.hh"

namespace gleaner::daemon {

class NodeHolds {
 public:
  struct Hold {
    JobId job = 0;           ///< for which Slurm preempted; 0: unknown
    TimeS until_s = 0;       ///< it could preempt again then
    TimeS used_since_s = 0;  ///< no hole and no lease since; 0: it is one
    /// What was taken of a node that is lent in parts: as long as it is free
    /// it is not used.
    std::optional<Resources> part = std::nullopt;
  };

  /// KillWait + MessageTimeout of slurm.conf; 30 + 10 are its defaults.
  void set_preempt_again(double seconds) { again_s_ = seconds; }

  /// Take in a snapshot.  `aside` says for which jobs places are kept free;
  /// what Slurm takes of them it takes for these.  Returns the nodes newly
  /// held.
  NodeSet update(Snapshot const& snapshot,
                 std::map<std::string, JobId> const& aside, TimeS now);

  /// Is the node of this place held?  Slurm may take any part of it.
  bool contains(std::string const& place) const {
    return !holds_.empty() && holds_.count(node_of(place));
  }
  std::map<std::string, Hold> const& all() const { return holds_; }

  /// When a hold ends next; `fallback` if none does before.
  TimeS next_s(TimeS fallback) const;

 private:
  Hold& hold(std::string const& place, JobId job, TimeS since_s);
  void forget(Snapshot const& snapshot, TimeS now);

  double again_s_ = 40;
  std::map<std::string, Hold> holds_;
  std::set<JobId> known_;  ///< preempted leases of the snapshot before
};

}  // namespace gleaner::daemon
