// SPDX-License-Identifier: Apache-2.0
/// A view of the brain for people.
#include "daemon/decisions/status.hh"

#include <algorithm>

#include "core/place.hh"
#include "core/quantile.hh"
#include "daemon/decisions/importance.hh"
#include "daemon/decisions/why_not_more.hh"

namespace gleaner::daemon {
namespace {

/// A base job without a coordinator has only just begun, or lost it.
std::string state_of(TrainerEntry const* trainer) {
  if (!trainer || trainer->link == 0) return "unregistered";
  return trainer->progress.state.empty() ? "waiting" : trainer->progress.state;
}

msg::TrainerStatus to_status(Brain const& brain, BaseJob const& base,
                             WhyNotMore const& why) {
  auto const* trainer = brain.roster().find(base.job);
  msg::TrainerStatus status;
  status.job = base.job;
  status.uid = base.uid;
  status.name = base.name;
  status.nodes_min = base.nodes_min;
  status.nodes_max = base.nodes_max;
  status.state = state_of(trainer);
  for (auto const& [nonce, lease] : brain.leases().all())
    if (lease.trainer == base.job && lease.begun_s > 0 &&
        lease.state != Lease::State::ending)
      status.nodes.push_back(lease.node);
  std::sort(status.nodes.begin(), status.nodes.end());
  // With nodes it no longer waits for any: its programs load.
  if (!status.nodes.empty() &&
      (status.state == "waiting" || status.state == "parked"))
    status.state = "starting";
  status.weight = trainer ? weight_of(*trainer) : base.weight;
  status.deadline_s = trainer ? deadline_of(*trainer) : base.deadline_s;
  if (!trainer) return status;
  if (base.running) status.why = why.of(*trainer);
  status.generation = trainer->progress.generation;
  status.step = trainer->progress.step;
  status.samples = trainer->progress.samples;
  status.samples_per_s = trainer->progress.samples_per_s;
  status.loss = trainer->progress.loss;
  return status;
}

msg::LeaseStatus to_status(Lease const& lease, Places const& places) {
  msg::LeaseStatus status{lease.job,     lease.node,
                          lease.trainer, name_of(lease.state),
                          lease.since_s, lease.until_s};
  auto const place = places.find(lease.node);
  if (place != places.end() && place->second.missing_since_s == 0)
    status.until_s = place->second.hole.end_s.value_or(0);
  return status;
}

std::string kept_for(Brain const& brain, std::string const& node) {
  if (brain.orders().is_drained(node)) return "drained";
  auto const kept = brain.aside().find(node);
  if (kept != brain.aside().end()) return "job " + std::to_string(kept->second);
  auto const hold = brain.holds().all().find(node_of(node));
  if (hold == brain.holds().all().end()) return "";
  return hold->second.job ? "job " + std::to_string(hold->second.job)
                          : "reclaimed";
}

}  // namespace

msg::StatusReply make_status(Brain const& brain, TimeS now) {
  msg::StatusReply reply;
  auto const& snapshot = brain.snapshot();
  reply.time_s = now;
  reply.snapshot_s = snapshot.time_s;
  reply.mode = brain.orders().mode();
  reply.observed_by = brain.orders().observed_by();
  reply.drained = brain.orders().drained();
  reply.lendable = brain.lendable();
  reply.would_lend = brain.would_lend();
  reply.policy = brain.config().policy;
  reply.plan_value = brain.planned().value;
  reply.plan_bound = brain.planned().bound;
  reply.nodes_total = snapshot.nodes_total;
  WhyNotMore const why(brain.plan_input(now), brain.why_stopped(now));
  for (auto const& base : snapshot.trainers)
    reply.trainers.push_back(to_status(brain, base, why));
  for (auto const& [nonce, lease] : brain.leases().all())
    reply.leases.push_back(to_status(lease, brain.places()));
  std::sort(reply.leases.begin(), reply.leases.end(),
            [](auto& a, auto& b) { return a.node < b.node; });
  for (auto const& [name, place] : brain.places())
    if (place.missing_since_s == 0)
      reply.holes.push_back({name, place.hole.leased,
                             place.hole.end_s.value_or(0),
                             kept_for(brain, name)});
  std::vector<double> const stalls(brain.stalls_s().begin(),
                                   brain.stalls_s().end());
  reply.stall_p50_s = quantile(stalls, 0.50);
  reply.stall_p99_s = quantile(stalls, 0.99);
  return reply;
}

}  // namespace gleaner::daemon
