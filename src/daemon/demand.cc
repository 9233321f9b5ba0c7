// SPDX-License-Identifier: Apache-2.0
/// Matching of waiting jobs with nodes, and for how long it counts.
#include "daemon/demand.hh"

#include <algorithm>
#include <tuple>

namespace gleaner {
namespace {

constexpr double unfit_s_max = 2;  ///< the end of a lease takes less

/// The places, in the order Slurm would take them.
class Supply {
 public:
  Supply(Snapshot const& snapshot, Places const& places) {
    for (auto const& [name, place] : places)
      places_.push_back({name, place.hole.weight, place.lent ? place.lease : 0,
                         place.lent, 0});
    for (auto const& node : snapshot.shared)
      if (!places.count(node.node))
        places_.push_back({node.node, node.weight, 0, false, node.cpus_idle});
    std::sort(places_.begin(), places_.end(), comes_first);
    for (auto const& [partition, nodes] : snapshot.partitions)
      for (auto& place : places_)
        if (nodes.contains(place.name))
          by_partition_[partition].push_back(&place);
  }

  /// Take the nodes the job would start on; none if it cannot.
  std::vector<std::string> take(PendingJob const& job) {
    auto const least = std::max(
        static_cast<std::size_t>(std::max(1, job.nodes)), job.required.size());
    std::vector<Entry*> chosen;
    std::size_t required_left = job.required.size();
    for (auto* place : by_partition_[job.partition]) {
      if (!place->fits(job) || job.excluded.contains(place->name)) continue;
      bool const required = job.required.contains(place->name);
      if (!required && chosen.size() + required_left >= least) continue;
      if (required) --required_left;
      chosen.push_back(place);
      if (chosen.size() == least && required_left == 0) break;
    }
    if (chosen.size() < least || required_left > 0) return {};
    std::vector<std::string> names;
    for (auto* place : chosen) {
      place->taken = true;
      names.push_back(place->name);
    }
    return names;
  }

  /// Make nodes free for the jobs that come after.
  void put_back(std::vector<std::string> const& names) {
    for (auto& place : places_)
      if (std::find(names.begin(), names.end(), place.name) != names.end())
        place.taken = false;
  }

 private:
  struct Entry {
    std::string name;
    std::uint32_t weight;
    JobId lease;
    bool lent;
    int cpus_idle;  ///< of a node that jobs use in part; 0: the whole node
    bool taken = false;

    bool fits(PendingJob const& job) const {
      return !taken &&
             (cpus_idle == 0 || (job.cpus > 0 && job.cpus <= cpus_idle));
    }
  };

  static bool comes_first(Entry const& a, Entry const& b) {
    return std::tuple(a.weight, a.lent, a.lease, a.cpus_idle, a.name) <
           std::tuple(b.weight, b.lent, b.lease, b.cpus_idle, b.name);
  }

  std::vector<Entry> places_;
  std::map<std::string, std::vector<Entry*>> by_partition_;
};

}  // namespace

bool Demand::holds(PendingJob const& job, Wait const& wait, TimeS now) const {
  bool const planned_later =
      wait.cycles > 0 && job.start_s && *job.start_s > now + hold_s_;
  return now < wait.since_s + hold_s_ && wait.cycles < 2 && !planned_later;
}

/// What is known of a job that can start: since when, and through how many
/// backfill cycles.
Demand::Wait Demand::known_wait(PendingJob const& job, Snapshot const& snapshot,
                                TimeS now) {
  auto const [found, arrived] = waits_.try_emplace(job.job);
  auto& wait = found->second;
  if (arrived) {
    arrivals_.push_back(job);
    wait.since_s = now;
    wait.backfill_s = snapshot.backfill_s;
  } else if (snapshot.backfill_s > wait.backfill_s) {
    wait.backfill_s = snapshot.backfill_s;
    ++wait.cycles;
  }
  return wait;
}

std::map<std::string, JobId> Demand::update(Snapshot const& snapshot,
                                            Places const& places, TimeS now) {
  std::map<std::string, JobId> aside;
  std::map<JobId, Wait> waits;
  arrivals_.clear();
  Supply supply(snapshot, places);
  for (auto const& job : snapshot.pending) {
    auto chosen = supply.take(job);
    auto const known = waits_.find(job.job);
    bool const unfit = chosen.empty();
    if (unfit &&
        (known == waits_.end() || now - known->second.fitted_s > unfit_s_max))
      continue;
    auto wait = known_wait(job, snapshot, now);
    if (unfit) {
      chosen = wait.nodes;
    } else {
      wait.nodes = chosen;
      wait.fitted_s = now;
    }
    waits[job.job] = wait;
    if (holds(job, wait, now))
      for (auto const& name : chosen) aside[name] = job.job;
    else if (!unfit)
      supply.put_back(chosen);
  }
  waits_ = std::move(waits);
  return aside;
}

TimeS Demand::next_s(TimeS now, TimeS fallback) const {
  for (auto const& [job, wait] : waits_)
    if (wait.since_s + hold_s_ > now)
      fallback = std::min(fallback, wait.since_s + hold_s_);
  return fallback;
}

}  // namespace gleaner
