// SPDX-License-Identifier: Apache-2.0
/// The daemon's view of the world in the allocator's words, and back.
#include "daemon/decisions/planner.hh"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/place.hh"
#include "daemon/decisions/caps.hh"
#include "daemon/decisions/importance.hh"

namespace gleaner::daemon {
namespace {

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
bool limit_to_present(alloc::Trainer* trainer, std::size_t count) {
  if (static_cast<int>(count) < trainer->nodes_min) return false;
  trainer->limit_nodes(static_cast<int>(count));
  return true;
}

/// All but the nodes, which have no index yet.
std::optional<alloc::Trainer> to_trainer(PlanInput const& input,
                                         TrainerEntry const& entry,
                                         std::size_t leases) {
  alloc::Trainer trainer;
  trainer.id = std::to_string(entry.base.job);
  trainer.nodes_min = entry.base.nodes_min;
  auto const& speeds = entry.scaling.told();
  trainer.nodes_max =
      std::min(entry.base.nodes_max, static_cast<int>(speeds.mean.size()) - 1);
  if (trainer.nodes_max < trainer.nodes_min) return std::nullopt;
  trainer.speed = speeds.mean;
  trainer.speed_low = speeds.low;
  trainer.speed_high = speeds.high;
  trainer.nodes_tried = speeds.nodes_tried;
  trainer.outline = speeds.outline;
  trainer.limit_nodes(trainer.nodes_max);
  auto const costs = entry.scaling.costs(configured_costs(input.config));
  trainer.expand_s = costs.expand_s;
  trainer.shrink_s = costs.shrink_s;
  trainer.start_s = costs.start_s;
  trainer.weight = weight_of(entry);
  if (auto const deadline_s = deadline_of(entry); deadline_s > 0)
    trainer.deadline_s = deadline_s - input.now;
  trainer.work_left = work_left_s(entry);
  if (input.users.blocks(entry.base.uid, input.now) &&
      !limit_to_present(&trainer, leases))
    return std::nullopt;
  return trainer;
}

JobId job_of(alloc::Trainer const& trainer) {
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

/// What ends the hole is a reservation, not a job.
bool is_reserved(Hole const& hole) {
  return hole.end_s && hole.planned_job == 0;
}

alloc::Node to_node(Place const& place, TimeS now) {
  auto const& hole = place.hole;
  alloc::Node node{hole.node, std::nullopt, hole.weight,
                   std::max(0.0, now - place.since_s), 0};
  if (hole.end_s) node.hole_s = std::max(0.0, *hole.end_s - now);
  // Slurm would refuse a new lease there.
  if (is_reserved(hole) && *hole.end_s - now < 60) node.hole_s = 0;
  return node;
}

using LeasesByNode = std::map<std::string, Lease const*>;

bool is_idle(PlanInput const& input, LeasesByNode const& leases,
             Place const& place) {
  return !place.hole.leased && !place.lent && !leases.count(place.hole.node) &&
         !input.holds.contains(place.hole.node);
}

/// Slurm closes a node to all while a lease on it completes.
std::set<std::string> closing_nodes(LeaseTable const& leases) {
  std::set<std::string> nodes;
  for (auto const& [nonce, lease] : leases.all())
    if (lease.part && lease.state == Lease::State::ending)
      nodes.insert(node_of(lease.node));
  return nodes;
}

/// Asked back, but soon to be had again: its trainer is still to get it.
bool is_coming(PlanInput const& input, LeasesByNode const& leases,
               Place const& place) {
  auto const lease = leases.find(place.hole.node);
  bool const missing = place.missing_since_s > 0 &&
                       input.now - place.missing_since_s > missing_wait_s;
  return lease != leases.end() && !lease->second->is_used() && !missing &&
         !input.holds.contains(place.hole.node);
}

}  // namespace

profile::ResizeCosts configured_costs(Config const& config) {
  return {config.expand_cost_s, config.shrink_cost_s, config.start_cost_s,
          config.shrink_cost_s};
}

double ask_lead_s(Config const& config) {
  return std::max(config.release_lead_s, config.give_back_s);
}

double hole_s_lent_min(Config const& config) {
  return std::max(config.hole_s_min, ask_lead_s(config) + 1);
}

int lease_minutes(Config const& config, Hole const& hole, TimeS now) {
  if (!hole.end_s) return config.lease_minutes_max;
  auto const minutes = (*hole.end_s - now) / 60;
  bool const reserved = is_reserved(hole);
  return std::clamp(
      static_cast<int>(reserved ? std::floor(minutes) : std::ceil(minutes)),
      reserved ? 0 : 1, config.lease_minutes_max);
}

int extended_minutes(Config const& config, Hole const& hole, TimeS start_s,
                     TimeS now) {
  auto const used = static_cast<int>(std::ceil((now - start_s) / 60));
  if (!is_reserved(hole)) return used + lease_minutes(config, hole, now);
  return std::min(static_cast<int>(std::floor((*hole.end_s - start_s) / 60)),
                  used + config.lease_minutes_max);
}

namespace {

using Used = std::map<JobId, std::vector<Lease const*>>;

std::vector<Lease const*> const& used_by(Used const& used, JobId job) {
  static std::vector<Lease const*> const none;
  auto const found = used.find(job);
  return found == used.end() ? none : found->second;
}

void add_trainers(PlanInput const& input, Used const& used,
                  alloc::Problem* problem, Eligibility* eligibility,
                  std::vector<Owner>* owners) {
  std::map<Uid, std::uint32_t> numbers;  // of owners, from 0
  for (auto const* entry : in_order(input.roster)) {
    auto const leases = used_by(used, entry->base.job).size();
    auto trainer = to_trainer(input, *entry, leases);
    if (!trainer) continue;
    trainer->owner = numbers
                         .emplace(entry->base.uid,
                                  static_cast<std::uint32_t>(numbers.size()))
                         .first->second;
    problem->trainers.push_back(std::move(*trainer));
    owners->push_back({entry->base.uid, entry->base.account});
    eligibility->add_trainer(entry->ask);
  }
}

alloc::Problem make_problem(PlanInput const& input, Used const& used) {
  alloc::Problem problem;
  problem.forward_looking_s = input.config.forward_looking_s;
  problem.hole_s_min = hole_s_lent_min(input.config);
  Eligibility eligibility(input.snapshot, input.nodes, input.now);
  std::vector<Owner> owners;
  add_trainers(input, used, &problem, &eligibility, &owners);
  std::unordered_set<std::string_view> in_use;
  for (auto const& trainer : problem.trainers)
    for (auto const* lease : used_by(used, job_of(trainer)))
      in_use.insert(lease->node);
  auto const leases = input.leases.by_node();
  std::unordered_map<std::string_view, alloc::NodeIndex> index;
  for (auto const& [name, place] : input.places) {
    if (input.aside.count(name) || input.orders.is_drained(name)) continue;
    if (!in_use.count(name) && !is_idle(input, leases, place) &&
        !is_coming(input, leases, place))
      continue;
    index.emplace(name, static_cast<alloc::NodeIndex>(problem.nodes.size()));
    problem.nodes.push_back(to_node(place, input.now));
    problem.nodes.back().kind = eligibility.kind_of(place);
  }
  for (std::size_t i = 0; i < problem.trainers.size(); ++i) {
    auto& trainer = problem.trainers[i];
    trainer.usable = eligibility.usable_by(i);
    for (auto const* lease : by_age(used_by(used, job_of(trainer))))
      if (auto const found = index.find(lease->node); found != index.end())
        trainer.nodes.push_back(found->second);
  }
  apply_caps(input.config, &owners, &problem);
  return problem;
}

/// What the plan would change for one trainer.
void add_changes(PlanInput const& input, LeasesByNode const& by_node,
                 std::set<std::string> const& closing,
                 std::vector<Lease const*> const& used, JobId job,
                 std::vector<std::string_view> const& planned,
                 Changes* changes) {
  std::unordered_set<std::string_view> const wanted(planned.begin(),
                                                    planned.end());
  std::unordered_set<std::string_view> has;
  for (auto const* lease : used) has.insert(lease->node);
  for (auto const& name : planned) {
    auto const place = input.places.find(std::string(name));
    if (!has.count(name) && is_idle(input, by_node, place->second) &&
        !closing.count(node_of(name)))
      changes->lend.push_back({job, place->first});
  }
  for (auto const* lease : used)
    if (!wanted.count(lease->node) && !input.aside.count(lease->node) &&
        lease->state == Lease::State::held && input.places.count(lease->node))
      changes->take.push_back(lease->nonce);
}

}  // namespace

alloc::Problem make_problem(PlanInput const& input) {
  return make_problem(input, input.leases.used_by_trainer());
}

Result<Changes> make_changes(PlanInput const& input,
                             alloc::Allocator& allocator,
                             Adjust const& adjust) {
  auto const used = input.leases.used_by_trainer();
  auto problem = make_problem(input, used);
  auto decision = allocator.allocate(problem, solve_limit);
  if (!decision) return decision.error();
  if (adjust) decision->plan = adjust(problem, std::move(decision->plan));
  Changes changes;
  auto const by_node = input.leases.by_node();
  auto const closing = closing_nodes(input.leases);
  for (std::size_t i = 0; i < problem.trainers.size(); ++i) {
    auto const job = job_of(problem.trainers[i]);
    std::vector<std::string_view> planned;
    for (auto const node : decision->plan[i])
      planned.push_back(problem.nodes[node].name);
    std::sort(planned.begin(), planned.end());
    changes.nodes_planned += static_cast<int>(planned.size());
    add_changes(input, by_node, closing, used_by(used, job), job, planned,
                &changes);
  }
  changes.problem = std::move(problem);
  changes.decision = std::move(*decision);
  return changes;
}

}  // namespace gleaner::daemon
