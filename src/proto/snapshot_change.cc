// SPDX-License-Identifier: Apache-2.0
/// Comparing snapshots list by list.
#include "proto/snapshot_change.hh"

#include <utility>

namespace gleaner::proto {
namespace {

std::string key(Hole const& hole) { return hole.node; }
std::string key(SharedNode const& node) { return node.node; }
JobId key(LeaseJob const& lease) { return lease.job; }
JobId key(PreemptedLease const& lease) { return lease.job; }
JobId key(PendingJob const& job) { return job.job; }
JobId key(BaseJob const& job) { return job.job; }
/// A node is of one kind.
std::string key(NodeKind const& kind) {
  return kind.nodes.begin() == kind.nodes.end() ? "" : *kind.nodes.begin();
}

template <class T>
Splice<T> splice(std::vector<T> const& next, std::vector<T> const& before) {
  return make_splice(next, before, [](T const& entry) { return key(entry); });
}

template <class T>
Result<void> apply(char const* name, Splice<T> const& splice,
                   std::vector<T> const& before, std::vector<T>* into) {
  auto next = apply_splice(splice, before);
  if (!next)
    return Error{Errc::invalid_argument, std::string("HolesSince.") + name +
                                             ": " + next.error().message};
  *into = std::move(*next);
  return {};
}

}  // namespace

msg::HolesSince make_change(Snapshot const& next, Snapshot const& before) {
  // A field more is to be an error here.
  auto const& [time_s, backfill_s, nodes_total, kinds, holes, shared, leases,
               preempted, pending, coming, trainers, reservations] = next;
  return {time_s,
          backfill_s,
          nodes_total,
          splice(kinds, before.kinds),
          splice(holes, before.holes),
          splice(shared, before.shared),
          splice(leases, before.leases),
          splice(preempted, before.preempted),
          splice(pending, before.pending),
          splice(coming, before.coming),
          splice(trainers, before.trainers),
          reservations,
          0};
}

Result<Snapshot> apply_change(msg::HolesSince const& change,
                              Snapshot const& before) {
  Snapshot next;
  next.time_s = change.time_s;
  next.backfill_s = change.backfill_s;
  next.nodes_total = change.nodes_total;
  next.reservations = change.reservations;
  Result<void> done;
  auto const list = [&](char const* name, auto const& splice, auto lists) {
    if (done) done = apply(name, splice, before.*lists, &(next.*lists));
  };
  list("kinds", change.kinds, &Snapshot::kinds);
  list("holes", change.holes, &Snapshot::holes);
  list("shared", change.shared, &Snapshot::shared);
  list("leases", change.leases, &Snapshot::leases);
  list("preempted", change.preempted, &Snapshot::preempted);
  list("pending", change.pending, &Snapshot::pending);
  list("coming", change.coming, &Snapshot::coming);
  list("trainers", change.trainers, &Snapshot::trainers);
  if (done) done = msg::check_kinds(next);
  if (!done) return done.error();
  return next;
}

}  // namespace gleaner::proto
