// SPDX-License-Identifier: Apache-2.0
/// How holds begin and end.
#include "daemon/node_holds.hh"

#include <algorithm>

namespace gleaner {
namespace {

/// A node that jobs use this long is used; while a lease of it completes it is
/// no hole for a moment.
constexpr double used_s_min = 1;

bool is_pending(Snapshot const& snapshot, JobId job) {
  return std::any_of(snapshot.pending.begin(), snapshot.pending.end(),
                     [job](auto const& p) { return p.job == job; });
}

/// Nodes that nobody uses but us.
std::set<std::string_view> unused(Snapshot const& snapshot) {
  std::set<std::string_view> nodes;
  for (auto const& hole : snapshot.holes) nodes.insert(hole.node);
  for (auto const& lease : snapshot.leases) nodes.insert(lease.node);
  return nodes;
}

}  // namespace

void NodeHolds::hold(std::string const& node, JobId job, TimeS since_s) {
  auto& hold = holds_[node];
  hold = {job, std::max(hold.until_s, since_s + again_s_), 0};
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
    hold(lease.node, job, since_s);
    held.insert(lease.node);
    if (job == 0) continue;
    for (auto const& [node, other] : aside)
      if (other == job) hold(node, job, since_s), held.insert(node);
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
    if (ours.count(node))
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

}  // namespace gleaner
