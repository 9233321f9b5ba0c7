// SPDX-License-Identifier: Apache-2.0
/// One call of the worker for each flush.
#include "daemon/io/lease_ender.hh"

#include <utility>

namespace gleaner::daemon {

void LeaseEnder::add(JobId lease) {
  if (asked_.insert(lease).second) added_.push_back(lease);
}

void LeaseEnder::flush() {
  if (added_.empty()) return;
  auto const leases = std::exchange(added_, {});
  auto const answered = [this, leases](Result<void> const& done) {
    for (auto const lease : leases) asked_.erase(lease);
    answered_(leases.size(), done);
  };
  bool const fits = worker_.submit(
      SlurmWorker::Urgency::now, [control = control_, leases, answered]() {
        auto const done = control->end_leases(leases);
        return SlurmWorker::Then([answered, done] { answered(done); });
      });
  if (!fits)
    for (auto const lease : leases) asked_.erase(lease);
}

}  // namespace gleaner::daemon
