// SPDX-License-Identifier: Apache-2.0
/// Holding what jobs ask for against kinds of nodes.
#include "daemon/decisions/job_shape.hh"

#include <algorithm>
#include <string_view>

#include "core/features.hh"

namespace gleaner::daemon {
namespace {

/// Calls `each(name)` for the names of "a,b" until one gives true.
template <class Each>
bool any_of_list(std::string_view list, Each each) {
  while (!list.empty()) {
    auto const comma = std::min(list.find(','), list.size());
    if (comma > 0 && each(std::string(list.substr(0, comma)))) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace

JobShape shape_of(PendingJob const& job, Snapshot const& snapshot) {
  JobShape shape;
  for (auto const& kind : snapshot.kinds)
    shape.kinds.push_back(kind_fits(kind, job));
  any_of_list(job.reservation, [&](auto const& name) {
    auto const at = snapshot.reservations.find(name);
    if (at != snapshot.reservations.end()) shape.within.push_back(&at->second);
    return false;
  });
  return shape;
}

std::string shape_key(PendingJob const& job) {
  return job.partition + '\n' + job.constraint + '\n' + job.reservation + '\n' +
         std::to_string(job.each.cpus) + ' ' +
         std::to_string(job.each.memory_mb) + ' ' + to_string(job.each.gres) +
         '\n' + to_string(job.gres) + '\n' + (job.whole ? "w" : "") +
         (job.whole_memory ? "m" : "");
}

bool kind_fits(NodeKind const& kind, PendingJob const& job) {
  // What cannot be read might be met by any node.
  auto const constraint = Constraint::parse_for_each(job.constraint);
  return any_of_list(job.partition,
                     [&](auto const& name) { return kind.is_in(name); }) &&
         covers(kind.total, job.each) &&
         contributes(kind.total.gres, job.gres) &&
         (!constraint || constraint->is_met_by(kind.features));
}

bool contributes(Gres const& free, Gres const& in_all) {
  return std::all_of(in_all.begin(), in_all.end(), [&](auto const& entry) {
    return covers(free, Gres{{entry.first, 1}});
  });
}

}  // namespace gleaner::daemon
