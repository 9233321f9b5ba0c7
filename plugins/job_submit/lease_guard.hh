// SPDX-License-Identifier: Apache-2.0
/// Who may use the lease partition, reservation, licence, account and QOS.
///
/// Nobody but a lease that gleanerd has announced: at submission one with a
/// valid ticket, by update none.  Root and SlurmUser are no exception.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/config.hh"
#include "core/result.hh"
#include "plugins/job_submit/job_request.hh"
#include "proto/ticket.hh"

namespace gleaner {

/// What of ours the request names, in lists too ("main,lease", "gleaner:1"):
/// "partition 'lease'"; none when it names nothing.
std::optional<std::string> names_ours(JobRequest const& request,
                                      Config const& config);

/// Admit a request that names_ours(), and only if it is the lease of the
/// ticket in its comment: this user, this node, now, once.  The ticket is used
/// up.  Fails with denied or invalid_argument and a reason for the user.
///
/// `key` is the content of ticket.key, or why it could not be read.
Result<Ticket> admit_lease(JobRequest const& request, Config const& config,
                           Result<std::string> const& key, TicketLedger* ledger,
                           std::int64_t now_s);

}  // namespace gleaner
