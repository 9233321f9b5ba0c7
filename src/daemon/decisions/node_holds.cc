// SPDX-License-Identifier: Apache-2.0
/// How holds begin and end.
#include "daemon/decisions/node_holds.hh"

#include <algorithm>

namespace gleaner::daemon {
namespace {

/// A node that jobs use this long is used; while a lease of it completes it is
/// no hole for a moment.
constexpr double used_s_min = 1;

bool is_pending(Snapshot const& snapshot, JobId job) {
  return std::any_of(snapshot.pending.begin(), snapshot.pending.end(),
                     [job](auto const& p) { return p.job == job; });
}

/// Nodes that nobody uses but us; of those lent in parts with what is free.
std::map<std::string_view, Resources const*> unused(Snapshot const& snapshot) {
  std::map<std::string_view, Resources const*> nodes;
  for (auto const& hole : snapshot.holes) nodes.emplace(hole.node, nullptr);
  for (auto const& lease : snapshot.leases)
    if (!lease.part) nodes.emplace(lease.node, nullptr);
  for (auto const& shared : snapshot.shared)
    if (shared.parted) nodes.emplace(shared.node, &shared.free);
  return nodes;
}

}  // namespace

NodeHolds::Hold& NodeHolds::hold(std::string const& place, JobId job,
                                 TimeS since_s) {
  auto& hold = holds_[node_of(place)];
  hold = {job, std::max(hold.until_s, since_s + again_s_), 0,
          std::move(hold.part)};
  return hold;
}

NodeSet NodeHolds::update(Snapshot const& snapshot,
                          std::map<std::string, JobId> const& aside,
                          TimeS now) {
  NodeSet held;
  std::set<JobId> known;
  for (auto const& lease : snapshot.preempted) {
    known.insert(lease.job);
    if (known_.count(lease.job)) continue;
    auto const kept = aside.find(lease.node);
    auto const job = kept == aside.end() ? 0 : kept->second;
    auto const since_s = std::min(now, lease.end_s);
    if (since_s + again_s_ <= now) continue;
    auto& taken = hold(lease.node, job, since_s);
    if (lease.part) taken.part = lease.part;
    held.insert(node_of(lease.node));
    if (job == 0) continue;
    for (auto const& [place, other] : aside)
      if (other == job) hold(place, job, since_s), held.insert(node_of(place));
  }
  known_ = std::move(known);
  forget(snapshot, now);
  return held;
}

void NodeHolds::forget(Snapshot const& snapshot, TimeS now) {
  if (holds_.empty()) return;
  auto const ours = unused(snapshot);
  for (auto it = holds_.begin(); it != holds_.end();) {
    auto& [node, hold] = *it;
    auto const found = ours.find(node);
    bool const is_free =
        found != ours.end() &&
        (!found->second || !hold.part || covers(*found->second, *hold.part));
    if (is_free)
      hold.used_since_s = 0;
    else if (hold.used_since_s == 0)
      hold.used_since_s = now;
    bool const used =
        hold.used_since_s > 0 && now - hold.used_since_s >= used_s_min;
    bool const waited_for = hold.job == 0 ? !snapshot.pending.empty()
                                          : is_pending(snapshot, hold.job);
    bool const over = used || !waited_for || now >= hold.until_s;
    it = over ? holds_.erase(it) : std::next(it);
  }
}

TimeS NodeHolds::next_s(TimeS fallback) const {
  for (auto const& [node, hold] : holds_)
    fallback = std::min(fallback, hold.until_s);
  return fallback;
}

}  // namespace gleaner::daemon
