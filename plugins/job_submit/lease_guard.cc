// SPDX-License-Identifier: Apache-2.0
/// Recognising our own names in a request, and admitting leases.
#include "plugins/job_submit/lease_guard.hh"

#include <algorithm>
#include <cctype>

#include "plugins/malleable_range.hh"

namespace gleaner {
namespace {

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

/// Is `name` a word of `list`?  Words are what lies between the characters
/// that Slurm puts between names or after them: "main,lease", "gleaner:1",
/// "gleaner@db=2", "license/gleaner:1".  Slurm ignores case in some names
/// (account, QOS), so we do in all.
bool has_word(std::string_view list, std::string_view name) {
  constexpr std::string_view between = ",;|&:=@/()[] \t\n";
  if (name.empty()) return false;
  while (!list.empty()) {
    auto const end = std::min(list.find_first_of(between), list.size());
    if (equal_ignoring_case(list.substr(0, end), name)) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

/// A name may itself hold one of the characters between words.
bool names(std::string_view list, std::string_view name) {
  return !name.empty() &&
         (has_word(list, name) || equal_ignoring_case(list, name));
}

/// Releases since 24.05 take licences among the TRES.
bool tres_names_licence(std::string_view tres, std::string_view licence) {
  return has_word(tres, "license") && has_word(tres, licence);
}

Error denied(std::string why) { return {Errc::denied, std::move(why)}; }

/// The parts of a lease request that need no ticket to be judged.
Result<void> check_form(JobRequest const& request, Config const& config) {
  if (request.is_batch || request.is_het || request.is_array)
    return denied(
        "a lease is one srun (it cannot be a batch script, a job "
        "array or part of a heterogeneous job)");
  if (!equal_ignoring_case(request.partition, config.lease_partition))
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

std::optional<std::string> names_ours(JobRequest const& request,
                                      Config const& config) {
  auto const ours = [](char const* kind, std::string const& name) {
    return std::optional<std::string>(std::string(kind) + " " +
                                      in_quotes(name));
  };
  if (names(request.partition, config.lease_partition))
    return ours("partition", config.lease_partition);
  if (names(request.reservation, config.reservation))
    return ours("reservation", config.reservation);
  if (names(request.licences, config.licence))
    return ours("licence", config.licence);
  for (auto const* tres : {&request.tres_per_node, &request.tres_per_job,
                           &request.tres_per_socket, &request.tres_per_task})
    if (tres_names_licence(*tres, config.licence))
      return ours("licence", config.licence);
  if (names(request.account, config.lease_account))
    return ours("account", config.lease_account);
  if (names(request.qos, config.lease_qos))
    return ours("QOS", config.lease_qos);
  return std::nullopt;
}

Result<Ticket> admit_lease(JobRequest const& request, Config const& config,
                           Result<std::string> const& key, TicketLedger* ledger,
                           std::int64_t now_s) {
  if (request.comment.empty())
    return denied(names_ours(request, config).value_or("this") +
                  " is for Gleaner's leases only [name another]");
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
