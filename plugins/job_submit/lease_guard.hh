// SPDX-License-Identifier: Apache-2.0
/// Which requests may use the lease partition, reservation, licence, account
/// and QOS?
/// At submission only a lease with a valid ticket, by update none; not even
/// those of root and SlurmUser.
#pragma once

#include <cstdint>
#include <string>

#include "core/config.hh"
#include "core/result.hh"
#include "plugins/job_submit/job_request.hh"
#include "plugins/job_submit/our_names.hh"
#include "proto/ticket.hh"

namespace gleaner::job_submit {

/// Why a request that names what was found is refused, when it is no lease.
Error for_leases_only(FoundName const& found);

/// Admit a request in which one of our names was `found`, and only if it is the
/// lease of the ticket in its comment: this user, this node, now, once; of a
/// part exactly its GPUs, CPUs and memory.  The ticket is used up.  Fails with
/// denied or invalid_argument and a reason for the user.
///
/// `key` is the content of ticket.key, or why it could not be read.
Result<proto::Ticket> admit_lease(JobRequest const& request,
                                  FoundName const& found, Config const& config,
                                  Result<std::string> const& key,
                                  proto::TicketLedger* ledger,
                                  std::int64_t now_s);

}  // namespace gleaner::job_submit
