// SPDX-License-Identifier: Apache-2.0
/// Admitting leases, and nothing else where only leases may be.
#include "plugins/job_submit/lease_guard.hh"

#include <utility>

#include "plugins/malleable_range.hh"

namespace gleaner {
namespace {

Error denied(std::string why) { return {Errc::denied, std::move(why)}; }

/// The parts of a lease request that need no ticket to be judged.
Result<void> check_form(JobRequest const& request, Config const& config) {
  if (request.is_batch || request.is_het || request.is_array)
    return denied(
        "a lease is one srun (it cannot be a batch script, a job "
        "array or part of a heterogeneous job)");
  if (request.partition != config.lease_partition)
    return denied("a lease is in partition " +
                  in_quotes(config.lease_partition) + " and no other, not in " +
                  in_quotes(request.partition));
  if (!request.immediate)
    return denied("a lease starts at once or not at all [add --immediate]");
  if (request.uid != request.submitter)
    return denied("a lease belongs to who asks for it");
  return {};
}

}  // namespace

Error for_leases_only(FoundName const& found) {
  return denied(found.to_string() +
                " is for Gleaner's leases only [name another]");
}

Result<Ticket> admit_lease(JobRequest const& request, FoundName const& found,
                           Config const& config, Result<std::string> const& key,
                           TicketLedger* ledger, std::int64_t now_s) {
  if (request.comment.empty()) return for_leases_only(found);
  if (auto form = check_form(request, config); !form) return form.error();
  if (!key)
    return denied("no lease can be checked now (" + key.error().message + ")");
  auto ticket = verify_ticket(request.comment, *key);
  if (!ticket) return ticket.error();
  if (ticket->minutes < 1) return denied("the lease ticket gives no time");
  if (auto used =
          ledger->use(*ticket, request.submitter, request.required, now_s);
      !used)
    return used.error();
  return ticket;
}

}  // namespace gleaner
