// SPDX-License-Identifier: Apache-2.0
/// From what is known to an allocator's Problem, and from its Plan to changes.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "alloc/allocator.hh"
#include "core/config.hh"
#include "daemon/decisions/backoff.hh"
#include "daemon/decisions/demand.hh"
#include "daemon/decisions/eligibility.hh"
#include "daemon/decisions/lease_table.hh"
#include "daemon/decisions/node_holds.hh"
#include "daemon/decisions/orders.hh"
#include "daemon/decisions/roster.hh"

namespace gleaner::daemon {

/// All that a plan depends on.
struct PlanInput {
  Config const& config;
  Snapshot const& snapshot;
  Places const& places;
  std::map<std::string, JobId> const& aside;  ///< nodes kept for rigid jobs
  NodeHolds const& holds;                     ///< nodes that Slurm took
  Orders const& orders;
  LeaseTable const& leases;
  Roster const& roster;
  Backoff<Uid> const& users;
  Backoff<NodeTemplate> const& nodes;
  TimeS now = 0;
};

/// What the plan would change.
struct Changes {
  struct Lend {
    JobId trainer = 0;
    std::string node;
  };
  std::vector<Lend> lend;         ///< idle now: can be offered at once
  std::vector<std::string> take;  ///< nonces of leases to be given back
  int nodes_planned = 0;          ///< nodes that trainers have by the plan
  alloc::Problem problem;         ///< from which all this follows
  alloc::Decision decision;
};

/// A leased node that is no hole for so long is drained.  Not at once: nodes
/// are no holes either while a lease on them ends, or while a restarted
/// slurmctld waits for their slurmd.
inline constexpr double missing_wait_s = 30;

/// What gleaner.yaml says that resizes cost a training of which nothing is
/// known.
profile::ResizeCosts configured_costs(Config const& config);

/// How long before a planned use a node is asked back.
double ask_lead_s(Config const& config);

/// No shorter hole is lent: a lease would be asked back before it is any use.
double hole_s_lent_min(Config const& config);

/// How long a plan of policy milp may take; the others count steps.
inline constexpr std::chrono::milliseconds solve_limit{1000};

alloc::Problem make_problem(PlanInput const& input);

/// `adjust`, if any, has the last word on the plan.
using Adjust = std::function<alloc::Plan(alloc::Problem const&, alloc::Plan)>;
Result<Changes> make_changes(PlanInput const& input,
                             alloc::Allocator& allocator,
                             Adjust const& adjust = {});

/// Minutes for the time limit of a lease that begins now: the hole, in whole
/// minutes, at most lease_minutes_max.  Rounded up before a planned job, as
/// Slurm's limit is the safety net and gleanerd ends the lease in time. Rounded
/// down before a reservation, which Slurm lets no time limit run into; 0: there
/// is not a minute left, and no lease would be granted.
int lease_minutes(Config const& config, Hole const& hole, TimeS now);

/// The same for a lease that began at `start_s`: minutes from then.
int extended_minutes(Config const& config, Hole const& hole, TimeS start_s,
                     TimeS now);

}  // namespace gleaner::daemon
