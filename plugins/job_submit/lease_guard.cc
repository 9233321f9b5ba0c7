// SPDX-License-Identifier: Apache-2.0
/// Admitting leases, and nothing else where only leases may be.
#include "plugins/job_submit/lease_guard.hh"

#include <algorithm>
#include <utility>

#include "plugins/malleable_range.hh"

namespace gleaner::job_submit {
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

/// Nothing that speaks of an amount but what the recipe of a part says
/// (runtime/coordinator/lease_command.cc).
bool says_more_than_part(JobRequest const& request) {
  bool const by_gres =
      !request.tres_per_job.empty() || !request.tres_per_socket.empty() ||
      !request.tres_per_task.empty() || !request.cpus_per_tres.empty() ||
      !request.mem_per_tres.empty();
  bool const as_given =
      std::any_of(request.passed_on.begin(), request.passed_on.end(),
                  [](PassedOn const& option) {
                    return option.says == PassedOn::Says::amount;
                  });
  return by_gres || as_given || request.mem_per_cpu_mb ||
         request.tasks.value_or(1) != 1 ||
         request.tasks_per_node.value_or(1) != 1 ||
         !request.meaningless.empty();
}

/// A part is taken as it was given: not a CPU more, and not one less, for what
/// is left would be lent twice.
Result<void> check_part(JobRequest const& request, Resources const& part) {
  auto const wrong = [&](std::string const& asked) {
    return denied("the lease ticket is for " + to_string(part) + ", not for " +
                  asked);
  };
  auto const gres = parse_gres(request.tres_per_node);
  if (!gres) return denied(gres.error().message);
  Resources const asked{
      static_cast<int>(request.cpus_per_task.value_or(0)),
      static_cast<std::int64_t>(request.mem_per_node_mb.value_or(0)), *gres};
  if (asked != part) return wrong(to_string(asked));
  if (request.cpus_per_node_min.value_or(0) >
      static_cast<std::uint32_t>(part.cpus))
    return wrong(std::to_string(*request.cpus_per_node_min) + " CPUs");
  if (says_more_than_part(request))
    return wrong("what other options ask for [ask with --gres, -c and --mem]");
  return {};
}

}  // namespace

Error for_leases_only(FoundName const& found) {
  return denied(found.to_string() +
                " is for Gleaner's leases only [name another]");
}

Result<proto::Ticket> admit_lease(JobRequest const& request,
                                  FoundName const& found, Config const& config,
                                  Result<std::string> const& key,
                                  proto::TicketLedger* ledger,
                                  std::int64_t now_s) {
  if (request.comment.empty()) return for_leases_only(found);
  if (auto form = check_form(request, config); !form) return form.error();
  if (!key)
    return denied("no lease can be checked now (" + key.error().message + ")");
  auto ticket = proto::verify_ticket(request.comment, *key);
  if (!ticket) return ticket.error();
  if (ticket->minutes < 1) return denied("the lease ticket gives no time");
  if (ticket->part)
    if (auto exact = check_part(request, *ticket->part); !exact)
      return exact.error();
  if (auto used =
          ledger->use(*ticket, request.submitter, request.required, now_s);
      !used)
    return used.error();
  return ticket;
}

}  // namespace gleaner::job_submit
