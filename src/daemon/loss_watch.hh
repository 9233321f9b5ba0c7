// SPDX-License-Identifier: Apache-2.0
/// How often does Slurm take nodes from trainings here?
///
/// Seen from the leases alone.  A training that gives back a node for a job, or
/// whose lease Slurm ended, stands still for shrink_s; plans count with that.
#pragma once

#include <map>
#include <string>

#include "daemon/lease_table.hh"
#include "daemon/roster.hh"
#include "profile/loss_rate.hh"

namespace gleaner::daemon {

class LossWatch {
 public:
  /// To be called whenever leases may have changed; time only moves forward.
  void update(LeaseTable const& leases, Roster const& roster, TimeS now);

  /// Losses per second that a training has one node.
  double per_node_s() const { return rate_.per_node_s(); }

 private:
  profile::LossRate rate_{alloc::losses_per_node_s_default};
  std::map<std::string, JobId> held_;  ///< trainer by nonce, at the last update
  TimeS updated_at_s_ = 0;             ///< 0: never
};

}  // namespace gleaner::daemon
