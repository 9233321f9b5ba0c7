// SPDX-License-Identifier: Apache-2.0
/// The daemon's view of the world in the allocator's words, and back.
#include "daemon/planner.hh"

#include <algorithm>
#include <cmath>

namespace gleaner {
namespace {

constexpr std::chrono::milliseconds solve_limit{1000};

/// Trainers that can be spoken to, in order of arrival.
std::vector<TrainerEntry const*> in_order(Roster const& roster) {
  std::vector<TrainerEntry const*> result;
  for (auto const& [job, trainer] : roster.all())
    if (trainer.link != 0 && trainer.present &&
        trainer.progress.state != "finished")
      result.push_back(&trainer);
  std::stable_sort(result.begin(), result.end(), [](auto* a, auto* b) {
    return a->base.submit_s < b->base.submit_s;
  });
  return result;
}

/// A user whom Slurm just refused keeps the `count` nodes there are and gets
/// no more.  False: not even that makes sense, leave the trainer out.
bool limit_to_present(Trainer* trainer, std::size_t count) {
  if (static_cast<int>(count) < trainer->nodes_min) return false;
  trainer->nodes_max = std::min(trainer->nodes_max, static_cast<int>(count));
  trainer->speed.resize(static_cast<std::size_t>(trainer->nodes_max) + 1);
  return true;
}

/// All but the nodes, which have no index yet.
std::optional<Trainer> to_trainer(PlanInput const& input,
                                  TrainerEntry const& entry) {
  Trainer trainer;
  trainer.id = std::to_string(entry.base.job);
  trainer.nodes_min = entry.base.nodes_min;
  trainer.nodes_max =
      std::min(entry.base.nodes_max, static_cast<int>(entry.speed.size()) - 1);
  if (trainer.nodes_max < trainer.nodes_min) return std::nullopt;
  trainer.speed = entry.speed;
  trainer.speed.resize(static_cast<std::size_t>(trainer.nodes_max) + 1);
  trainer.expand_s = input.config.expand_cost_s;
  trainer.shrink_s = input.config.shrink_cost_s;
  trainer.start_s = input.config.start_cost_s;
  if (input.users.blocks(entry.base.uid, input.now) &&
      !limit_to_present(&trainer, input.leases.used_by(entry.base.job).size()))
    return std::nullopt;
  return trainer;
}

JobId job_of(Trainer const& trainer) {
  return static_cast<JobId>(std::stoul(trainer.id));
}

/// In the order the trainer got them; what is only offered comes last.
std::vector<Lease const*> by_age(std::vector<Lease const*> leases) {
  auto const rank = [](Lease const* lease) {
    return std::pair(lease->begun_s == 0, lease->begun_s);
  };
  std::stable_sort(leases.begin(), leases.end(),
                   [&](auto* a, auto* b) { return rank(a) < rank(b); });
  return leases;
}

Node to_node(Place const& place, TimeS now) {
  auto const& hole = place.hole;
  Node node{hole.node, std::nullopt, hole.weight,
            std::max(0.0, now - place.since_s)};
  if (hole.end_s) node.hole_s = std::max(0.0, *hole.end_s - now);
  return node;
}

using LeasesByNode = std::map<std::string, Lease const*>;

bool is_idle(PlanInput const& input, LeasesByNode const& leases,
             Place const& place) {
  return !place.hole.leased && !place.lent && !leases.count(place.hole.node) &&
         !input.holds.contains(place.hole.node) &&
         !input.nodes.blocks(place.hole.node, input.now);
}

/// Asked back, but soon to be had again: whoever was to get it still is.
bool is_coming(PlanInput const& input, LeasesByNode const& leases,
               Place const& place) {
  auto const lease = leases.find(place.hole.node);
  bool const missing = place.missing_since_s > 0 &&
                       input.now - place.missing_since_s > missing_wait_s;
  return lease != leases.end() && !lease->second->is_used() && !missing &&
         !input.holds.contains(place.hole.node) &&
         !input.nodes.blocks(place.hole.node, input.now);
}

}  // namespace

double ask_lead_s(Config const& config) {
  return std::max(config.release_lead_s, config.give_back_s);
}

int lease_minutes(Config const& config, Hole const& hole, TimeS now) {
  if (!hole.end_s) return config.lease_minutes_max;
  auto const minutes = std::ceil((*hole.end_s - now) / 60);
  return std::clamp(static_cast<int>(minutes), 1, config.lease_minutes_max);
}

Problem make_problem(PlanInput const& input) {
  Problem problem;
  problem.forward_looking_s = input.config.forward_looking_s;
  problem.hole_s_min =
      std::max(input.config.hole_s_min, ask_lead_s(input.config) + 1);
  NodeSet used;
  for (auto const* entry : in_order(input.roster)) {
    auto trainer = to_trainer(input, *entry);
    if (!trainer) continue;
    for (auto const* lease : input.leases.used_by(entry->base.job))
      used.insert(lease->node);
    problem.trainers.push_back(std::move(*trainer));
  }
  auto const leases = input.leases.by_node();
  std::map<std::string_view, NodeIndex> index;
  for (auto const& [name, place] : input.places) {
    if (input.aside.count(name)) continue;
    if (!used.contains(name) && !is_idle(input, leases, place) &&
        !is_coming(input, leases, place))
      continue;
    index.emplace(name, static_cast<NodeIndex>(problem.nodes.size()));
    problem.nodes.push_back(to_node(place, input.now));
  }
  for (auto& trainer : problem.trainers)
    for (auto const* lease : by_age(input.leases.used_by(job_of(trainer))))
      if (auto const found = index.find(lease->node); found != index.end())
        trainer.nodes.push_back(found->second);
  return problem;
}

Result<Changes> make_changes(PlanInput const& input, Allocator& allocator) {
  auto problem = make_problem(input);
  auto plan = allocator.allocate(problem, solve_limit);
  if (!plan) return plan.error();
  Changes changes;
  auto const leases = input.leases.by_node();
  for (std::size_t i = 0; i < problem.trainers.size(); ++i) {
    auto const job = job_of(problem.trainers[i]);
    NodeSet planned, used;
    for (auto const node : (*plan)[i]) planned.insert(problem.nodes[node].name);
    for (auto const* lease : input.leases.used_by(job))
      used.insert(lease->node);
    changes.nodes_planned += static_cast<int>(planned.size());
    for (auto const& name : planned)
      if (!used.contains(name) && is_idle(input, leases, input.places.at(name)))
        changes.lend.push_back({job, name});
    for (auto const* lease : input.leases.used_by(job))
      if (!planned.contains(lease->node) && !input.aside.count(lease->node) &&
          lease->state == Lease::State::held && input.places.count(lease->node))
        changes.take.push_back(lease->nonce);
  }
  changes.problem = std::move(problem);
  changes.plan = std::move(*plan);
  return changes;
}

}  // namespace gleaner
