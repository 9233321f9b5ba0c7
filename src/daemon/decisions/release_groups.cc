// SPDX-License-Identifier: Apache-2.0
/// All of them, or none yet.
#include "daemon/decisions/release_groups.hh"

#include <algorithm>

namespace gleaner::daemon {
namespace {

/// Slurm takes this lease as soon as it schedules.
bool is_wanted(Lease const& lease) {
  return lease.cause == "arrival" || lease.cause == "planned_start";
}

}  // namespace

std::vector<std::string> releasable(LeaseTable const& leases, TimeS now) {
  auto const& all = leases.all();
  bool const must_wait =
      std::any_of(all.begin(), all.end(), [now](auto const& entry) {
        auto const& lease = entry.second;
        return lease.state == Lease::State::returning && is_wanted(lease) &&
               now < lease.deadline_s;
      });
  std::vector<std::string> nonces;
  if (must_wait) return nonces;
  for (auto const& [nonce, lease] : all)
    if (lease.state == Lease::State::vacated) nonces.push_back(nonce);
  return nonces;
}

}  // namespace gleaner::daemon
