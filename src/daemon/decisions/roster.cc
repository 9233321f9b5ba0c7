// SPDX-License-Identifier: Apache-2.0
/// Registration, and what is kept of a coordinator's reports.
#include "daemon/decisions/roster.hh"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "daemon/decisions/importance.hh"
#include "daemon/decisions/pace_message.hh"

namespace gleaner::daemon {
namespace {

using BaseJobs = std::unordered_map<JobId, BaseJob const*>;

BaseJobs base_jobs(Snapshot const& snapshot) {
  BaseJobs jobs;
  for (auto const& base : snapshot.trainers) jobs.emplace(base.job, &base);
  return jobs;
}

BaseJob const* find_base(BaseJobs const& jobs, JobId job) {
  auto const found = jobs.find(job);
  return found == jobs.end() ? nullptr : found->second;
}

/// Why this uid may not speak for this job; "" if it may.
std::string refusal(BaseJob const* base, Candidate const& candidate) {
  auto const job = "job " + std::to_string(candidate.request.job);
  if (!base)
    return job +
           " is no training job of this cluster [submit it with sbatch "
           "--malleable=MIN-MAX]";
  if (base->uid != candidate.uid)
    return job + " belongs to uid " + std::to_string(base->uid) +
           ", the coordinator runs as uid " + std::to_string(candidate.uid);
  if (!base->running) return job + " is not running";
  return "";
}

/// Most leases that one trainer could have, if it had all.  What users write
/// after --malleable= is no reason for longer curves.
int most_leases(Snapshot const& snapshot) {
  int more = 0;
  for (auto const& kind : snapshot.kinds)
    if (kind.parts_max > 1)
      more += (kind.parts_max - 1) * static_cast<int>(kind.nodes.size());
  return std::max(snapshot.nodes_total + more, 1);
}

/// Why this cluster can never serve the job; "" if it can.
std::string never_served(BaseJob const& base, Servers const& servers) {
  auto const job = "job " + std::to_string(base.job);
  if (!servers.why_none.empty())
    return job + " can never start: " + servers.why_none +
           " [submit it with other options]";
  if (servers.nodes < base.nodes_min)
    return job + " can never start: it needs at least " +
           std::to_string(base.nodes_min) + " nodes, and " +
           std::to_string(servers.nodes) + " could serve it (" +
           base.lease_template +
           ") [submit it with --malleable=" + std::to_string(servers.nodes) +
           " or less]";
  return "";
}

}  // namespace

class Roster::Serving {
 public:
  Serving(Snapshot const& snapshot, std::string const& lease_partition)
      : snapshot_(snapshot), lease_partition_(lease_partition) {}

  Servers const& of(std::string const& lease_template) {
    auto const [found, is_new] = known_.try_emplace(lease_template);
    if (!is_new) return found->second;
    auto const ask = parse_lease_template(lease_template);
    found->second = ask ? servers_of(snapshot_, lease_partition_, *ask)
                        : Servers{0, ask.error().message};
    return found->second;
  }

 private:
  Snapshot const& snapshot_;
  std::string const& lease_partition_;
  std::unordered_map<std::string, Servers> known_;
};

/// Speeds are kept for each number of nodes, so what a user asks for at most is
/// cut to what there is.
void Roster::update_base(TrainerEntry* trainer, BaseJob const& base,
                         Servers const& servers) const {
  if (base.lease_template != trainer->base.lease_template ||
      trainer->ask.text != base.lease_template)
    if (auto ask = parse_lease_template(base.lease_template))
      trainer->ask = std::move(*ask);
  trainer->base = base;
  trainer->base.nodes_max =
      std::max(base.nodes_min, std::min(base.nodes_max, servers.nodes));
  update_speeds(trainer);
}

bool Roster::update_speeds(TrainerEntry* trainer) const {
  return trainer->scaling.update(std::min(trainer->base.nodes_max, nodes_most_),
                                 scaling_);
}

/// A link has one question open: the last.
void Roster::ask(Candidate candidate) {
  std::erase_if(candidates_, [&](auto& c) { return c.link == candidate.link; });
  candidates_.push_back(std::move(candidate));
}

TrainerEntry& Roster::entry(JobId job, TimeS now) {
  auto const [found, made] = trainers_.try_emplace(job);
  if (made) {
    found->second.base.job = job;
    found->second.link_lost_s = now;
  }
  return found->second;
}

TrainerEntry* Roster::find(JobId job) {
  auto const found = trainers_.find(job);
  return found == trainers_.end() ? nullptr : &found->second;
}

TrainerEntry const* Roster::find(JobId job) const {
  auto const found = trainers_.find(job);
  return found == trainers_.end() ? nullptr : &found->second;
}

TrainerEntry* Roster::by_link(LinkId link) {
  if (link == 0) return nullptr;
  for (auto& [job, trainer] : trainers_)
    if (trainer.link == link) return &trainer;
  return nullptr;
}

std::vector<TrainerEntry> Roster::match(Snapshot const& snapshot) {
  nodes_most_ = std::max(nodes_most_, most_leases(snapshot));
  std::vector<TrainerEntry> gone;
  auto const jobs = base_jobs(snapshot);
  Serving serving(snapshot, lease_partition_);
  for (auto it = trainers_.begin(); it != trainers_.end();) {
    auto const* base = find_base(jobs, it->first);
    auto& trainer = it->second;
    if (base) update_base(&trainer, *base, serving.of(base->lease_template));
    trainer.present = base && base->running;
    // Its batch job was cancelled, or its time is over: the coordinator has
    // KillWait to leave its nodes with a checkpoint.
    bool const is_leaving = base && !trainer.present && trainer.link != 0;
    if (trainer.present || is_leaving) {
      ++it;
      continue;
    }
    gone.push_back(trainer);
    it = trainers_.erase(it);
  }
  return gone;
}

std::vector<Candidate> Roster::settle(Snapshot const& snapshot, double wait_s,
                                      TimeS now, Actions* out) {
  std::vector<Candidate> accepted, waiting;
  if (candidates_.empty()) return accepted;
  auto const jobs = base_jobs(snapshot);
  Serving serving(snapshot, lease_partition_);
  for (auto const& candidate : candidates_) {
    auto const* base = find_base(jobs, candidate.request.job);
    auto why = refusal(base, candidate);
    bool const early = !base || (base->uid == candidate.uid && !base->running);
    if (early && now < candidate.since_s + wait_s) {
      waiting.push_back(candidate);
      continue;
    }
    // Where no node is known nobody knows what one could serve.
    if (why.empty() && candidate.request.leases.empty() &&
        snapshot.nodes_total > 0)
      why = never_served(*base, serving.of(base->lease_template));
    if (!why.empty()) {
      out->push_back(Tell{candidate.link, msg::RegisterRefused{why}});
      out->push_back(CloseLink{candidate.link});
      out->push_back(Record{"registration_refused",
                            {{"job", candidate.request.job},
                             {"uid", candidate.uid},
                             {"why", why}},
                            Record::Keep::log});
      continue;
    }
    auto& trainer = entry(candidate.request.job, now);
    if (trainer.link != 0 && trainer.link != candidate.link)
      out->push_back(CloseLink{trainer.link});
    update_base(&trainer, *base, serving.of(base->lease_template));
    trainer.present = true;
    trainer.link = candidate.link;
    trainer.said = in_bounds(candidate.request.importance);
    accepted.push_back(candidate);
  }
  candidates_ = std::move(waiting);
  return accepted;
}

void Roster::unlink(LinkId link, TimeS now) {
  if (auto* trainer = by_link(link)) {
    trainer->link = 0;
    trainer->link_lost_s = now;
  }
  std::erase_if(candidates_, [&](auto& c) { return c.link == link; });
}

void Roster::note_progress(LinkId link, msg::Progress const& progress) {
  auto* trainer = by_link(link);
  if (!trainer) return;
  // Not its nodes: those that are shown are Slurm's.
  trainer->progress = {progress.generation,
                       progress.members,
                       {},
                       progress.step,
                       progress.samples,
                       progress.samples_per_s,
                       progress.loss,
                       progress.state.substr(0, 16),
                       progress.samples_left};
}

bool Roster::note_pace(TrainerEntry* trainer, msg::Pace const& pace) {
  if (pace.nodes > std::min(trainer->base.nodes_max, nodes_most_)) return false;
  trainer->scaling.add(pace_of(pace), traits_of(pace));
  return update_speeds(trainer);
}

TimeS Roster::next_s(double wait_s, TimeS fallback) const {
  for (auto const& candidate : candidates_)
    fallback = std::min(fallback, candidate.since_s + wait_s);
  return fallback;
}

}  // namespace gleaner::daemon
