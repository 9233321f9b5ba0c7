// SPDX-License-Identifier: Apache-2.0
/// Which trainers there are: their batch jobs, coordinators and progress.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/cluster.hh"
#include "core/fits.hh"
#include "daemon/decisions/actions.hh"
#include "daemon/decisions/scaling_profile.hh"
#include "proto/daemon_messages.hh"

namespace gleaner::daemon {

/// A trainer known by its registration or by the leases it holds.
struct TrainerEntry {
  BaseJob base;            ///< nodes_max: no more than could ever serve it
  LeaseTemplate ask;       ///< its lease template, read
  bool present = false;    ///< its batch job was in the last snapshot, running
  LinkId link = 0;         ///< 0 while no coordinator is connected
  TimeS link_lost_s = 0;   ///< when there was last one, or when we first looked
  msg::Progress progress;  ///< as the coordinator reports; for show
  msg::Importance said;    ///< instead of what `base` says
  ScalingProfile scaling;
  TimeS measured_since_s = 0;    ///< its first pace came; 0: none yet
  std::set<std::string> agents;  ///< nodes on which it says agents run
};

/// A coordinator that asked to be registered before its job was seen.
struct Candidate {
  LinkId link = 0;
  Uid uid = 0;
  msg::Register request;
  TimeS since_s = 0;
};

class Roster {
 public:
  using Scaling = ScalingProfile::Scaling;
  void set_scaling(Scaling scaling) { scaling_ = scaling; }

  /// The entry of a base job, made if need be.
  TrainerEntry& entry(JobId job, TimeS now);
  TrainerEntry* find(JobId job);
  TrainerEntry const* find(JobId job) const;
  TrainerEntry* by_link(LinkId link);
  std::map<JobId, TrainerEntry> const& all() const { return trainers_; }

  /// A coordinator asks; settle() answers.
  void ask(Candidate candidate);

  void set_lease_partition(std::string name) {
    lease_partition_ = std::move(name);
  }

  /// Bring base jobs up to date.  Those gone are taken out and returned; one
  /// that completes is gone when its coordinator is.
  std::vector<TrainerEntry> match(Snapshot const& snapshot);

  /// Accept or refuse candidates, also for want of nodes that could ever serve
  /// their lease template; one whose job the snapshot does not have yet
  /// waits for up to `wait_s`.  Returns the accepted.
  std::vector<Candidate> settle(Snapshot const& snapshot, double wait_s,
                                TimeS now, Actions* out);

  /// The connection is gone.
  void unlink(LinkId link, TimeS now);

  /// A report from the coordinator, for show.
  void note_progress(LinkId link, msg::Progress const& progress);

  /// What it measured.  True: plans are to be made of other speeds than before.
  bool note_pace(TrainerEntry* trainer, msg::Pace const& pace);

  /// When the next candidate has waited too long; `fallback` if none does.
  TimeS next_s(double wait_s, TimeS fallback) const;

 private:
  /// What the cluster has for a lease template, worked out once a look.
  class Serving;

  void update_base(TrainerEntry* trainer, BaseJob const& base,
                   Servers const& servers) const;
  bool update_speeds(TrainerEntry* trainer) const;

  std::string lease_partition_;
  Scaling scaling_ = Scaling::measured;
  int nodes_most_ = 1;  ///< leases of one trainer: as many nodes as ever were
  std::map<JobId, TrainerEntry> trainers_;
  std::vector<Candidate> candidates_;
};

}  // namespace gleaner::daemon
