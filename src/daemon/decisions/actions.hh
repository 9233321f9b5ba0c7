// SPDX-License-Identifier: Apache-2.0
/// What gleanerd's decisions ask the outside to do.
///
/// The deciding code only returns these; daemon.cc carries them out.  Tests
/// compare them.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "alloc/allocator.hh"
#include "core/cluster.hh"
#include "daemon/decisions/profile_shelf.hh"
#include "proto/daemon_messages.hh"
#include "proto/ticket.hh"

namespace gleaner::daemon {

using LinkId = std::uint64_t;  ///< a coordinator's connection; 0 is none

/// Sign the ticket and send it as a Grant.
struct Offer {
  LinkId link = 0;
  proto::Ticket ticket;
  TimeS until_s = 0;
};

/// Send a message to a coordinator.
struct Tell {
  LinkId link = 0;
  msg::ToCoordinator message;
};

/// Close a coordinator's connection, after what was sent.
struct CloseLink {
  LinkId link = 0;
};

/// End a lease in Slurm, at once.
struct EndLease {
  JobId job = 0;
  std::string node;
};

/// Let a lease run until `minutes` after its start.
struct ExtendLease {
  JobId job = 0;
  int minutes = 0;
};

/// Let a job begin that job_submit_gleaner made wait (arrival_notice.hh).
struct BeginJob {
  JobId job = 0;
};

/// Make slurmctld look at its queue now.
struct LookAtQueue {};

/// Take a new snapshot as soon as possible.
struct LookAgain {};

/// Write to the log and, unless a stranger causes it, to the journal.
struct Record {
  std::string event;
  nlohmann::ordered_json data;
  /// `log`: no row, and one line in a while; anybody may cause it at will.
  enum class Keep { journal, log } keep = Keep::journal;
};

/// Append to `problem_log`: what was solved, and how.
struct SaveProblem {
  std::string policy;
  alloc::Problem problem;
  alloc::Plan plan;
};

/// Keep on disk what was learned of trainings.
struct KeepProfiles {
  std::vector<ProfileRow> rows;
};

using Action =
    std::variant<Offer, Tell, CloseLink, EndLease, ExtendLease, BeginJob,
                 LookAtQueue, LookAgain, Record, SaveProblem, KeepProfiles>;
using Actions = std::vector<Action>;

}  // namespace gleaner::daemon
