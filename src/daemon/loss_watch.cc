// SPDX-License-Identifier: Apache-2.0
#include "daemon/loss_watch.hh"

#include <algorithm>
#include <set>

namespace gleaner::daemon {
namespace {

/// Was it taken for a job, and not by a plan or for the training's own end?
bool is_taken_for_a_job(Lease const& lease) {
  return !lease.is_used() &&
         (lease.cause == "arrival" || lease.cause == "planned_start" ||
          lease.cause == "reclaimed");
}

}  // namespace

void LossWatch::update(LeaseTable const& leases, Roster const& roster,
                       TimeS now) {
  auto const& all = leases.all();
  std::set<JobId> hit;
  for (auto const& [nonce, trainer] : held_) {
    auto const lease = all.find(nonce);
    // One that a look has found gone is not in the table any more.
    if (lease == all.end() || is_taken_for_a_job(lease->second))
      hit.insert(trainer);
  }
  // A training that is over loses nothing.
  std::erase_if(hit, [&](JobId job) { return !roster.find(job); });
  if (updated_at_s_ > 0)
    rate_.pass(std::max(0.0, now - updated_at_s_),
               static_cast<double>(held_.size()));
  updated_at_s_ = now;
  rate_.lose(static_cast<int>(hit.size()));
  held_.clear();
  for (auto const& [nonce, lease] : all)
    if (lease.state == Lease::State::held) held_.emplace(nonce, lease.trainer);
}

}  // namespace gleaner::daemon
