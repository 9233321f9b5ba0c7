// SPDX-License-Identifier: Apache-2.0
/// Measurements, and the curve at as many sizes as a picture needs.
#include "daemon/decisions/profile_reply.hh"

#include <algorithm>

namespace gleaner::daemon {
namespace {

/// Numbers of nodes at which the curve is told: each of the first, then some
/// forty for each tenfold.
std::vector<int> told_sizes(int nodes_max) {
  constexpr int each = 32;
  constexpr double factor = 1.06;
  std::vector<int> sizes;
  for (int k = 1; k <= nodes_max;
       k = k < each ? k + 1 : std::max(k + 1, static_cast<int>(k * factor)))
    sizes.push_back(k);
  if (!sizes.empty() && sizes.back() != nodes_max) sizes.push_back(nodes_max);
  return sizes;
}

void add_measured(ScalingProfile const& scaling, msg::ProfileReply* reply) {
  for (auto const& [nodes, pace] : scaling.paces())
    reply->measured.push_back(
        {nodes, pace.members, pace.steps, pace.step_s, pace.step_spread_s,
         pace.compute_s, pace.compute_max_s, pace.exposed_s, pace.update_s});
}

void add_curve(TrainerEntry const& trainer, msg::ProfileReply* reply) {
  auto const advice = trainer.scaling.advise(trainer.base.nodes_max);
  for (auto const nodes : told_sizes(trainer.base.nodes_max)) {
    auto const k = static_cast<std::size_t>(nodes);
    if (k < advice.mean.size())
      reply->curve.push_back(
          {nodes, advice.mean[k], advice.low[k], advice.high[k]});
  }
}

int nodes_now(Brain const& brain, JobId job) {
  int nodes = 0;
  for (auto const& [nonce, lease] : brain.leases().all())
    if (lease.trainer == job && lease.begun_s > 0 &&
        lease.state != Lease::State::ending)
      ++nodes;
  return nodes;
}

}  // namespace

msg::ProfileReply make_profile(Brain const& brain, JobId job) {
  msg::ProfileReply reply;
  reply.job = job;
  auto const* trainer = brain.roster().find(job);
  if (!trainer || !trainer->present) {
    reply.why = "job " + std::to_string(job) +
                " is no training that runs now [gleaner status lists them; "
                "what was learned of one that has ended serves the next of "
                "its family]";
    return reply;
  }
  auto const& config = brain.config();
  auto const& scaling = trainer->scaling;
  reply.name = trainer->base.name;
  reply.scaling = to_string(config.scaling);
  reply.family = scaling.traits().family;
  reply.global_batch = scaling.traits().global_batch;
  reply.gradient_bytes = scaling.traits().gradient_bytes;
  reply.members_per_node = scaling.traits().members_per_node;
  reply.nodes_min = trainer->base.nodes_min;
  reply.nodes_max = trainer->base.nodes_max;
  reply.nodes_now = nodes_now(brain, job);
  reply.trainings_before = scaling.trainings_before();
  add_measured(scaling, &reply);
  if (scaling.is_measured()) add_curve(*trainer, &reply);
  auto const costs = scaling.costs(configured_costs(config));
  reply.expand_s = costs.expand_s;
  reply.shrink_s = costs.shrink_s;
  reply.start_s = costs.start_s;
  reply.deliberate = brain.visits().why(job);
  return reply;
}

}  // namespace gleaner::daemon
