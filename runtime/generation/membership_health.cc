// SPDX-License-Identifier: Apache-2.0
/// Which members are there, but of no use?
///
/// The dead are noticed where connections are; here it is about processes that
/// live: one that never becomes ready, and one that all others wait for.
#include <algorithm>

#include "runtime/generation/membership_state.hh"

namespace gleaner {

namespace membership {

Options with_failure_timeout(double failure_timeout_s) {
  // What programs do by themselves takes its time, however impatient we are.
  constexpr double exit_s_min = 5;
  Options options;
  options.failure_timeout_s = failure_timeout_s;
  options.connect_timeout_s = failure_timeout_s;
  options.prepare_timeout_s = 6 * failure_timeout_s;
  options.urgent_s = 4 * failure_timeout_s;
  options.exit_timeout_s = std::max(exit_s_min, failure_timeout_s);
  options.load_timeout_s = 120 * failure_timeout_s;
  options.stuck.timeout_s = 12 * failure_timeout_s;
  return options;
}

}  // namespace membership

void Membership::State::on(MemberEntry& from, msg::Alive const& message) {
  from.alive = message;
  bool const busy = message.busy_left_s > 0;
  if (busy && !from.busy)
    record("busy", {{"member", from.id},
                    {"node", from.node},
                    {"why", message.busy},
                    {"limit_s", message.busy_left_s}});
  from.busy = busy;
}

/// What was said in another generation proves nothing about this one.
void Membership::State::forget_sightings() {
  for (auto& [id, member] : entries) member.alive.reset();
}

void Membership::State::check_loading() {
  if (members_in(Phase::announced) + members_in(Phase::connected) == 0) return;
  MemberIds late;
  for (auto const& [id, member] : entries) {
    if (member.phase != Phase::announced && member.phase != Phase::connected)
      continue;
    bool const busy = member.alive && member.alive->busy_left_s > 0;
    if (now - member.since_s > options.load_timeout_s && !busy)
      late.push_back(id);
  }
  for (auto const id : late)
    kill(id, entries.at(id).phase == Phase::announced
                 ? "it did not call gleaner_open() in time"
                 : "it did not call gleaner_start() in time");
}

void Membership::State::check_stuck() {
  if (recovery || generation == 0) return;
  // The more there are to look at, the less often: never a burden.
  constexpr double pause_of_each_s = 0.0005;
  if (now - stuck_checked_s < pause_of_each_s * double(members.size())) return;
  stuck_checked_s = now;
  auto in_use = members;
  if (change && change->agreed)
    for (auto const id : change->members)
      if (!contains(in_use, id)) in_use.push_back(id);
  std::vector<Sighting> sightings;
  for (auto const id : live(in_use)) {
    auto const& alive = entries.at(id).alive;
    auto const& last = entries.at(id).finished;
    if (!alive) return;
    sightings.push_back({id, *alive});
    // It waits for the last step of the others, as if it were in it.
    if (last && last->generation == generation && alive->at == "library")
      sightings.back().alive.at = "reduction";
  }
  for (auto const id :
       stuck_members(sightings, options.stuck, step_median.seconds())) {
    auto const& alive = *entries.at(id).alive;
    auto why = "it is stuck: all others wait for it in step " +
               std::to_string(alive.step) + ", and for " +
               std::to_string(long(alive.for_s)) +
               " s its program has not called gleaner_reduce()";
    if (!alive.busy.empty())
      why += " (it was busy with '" + alive.busy + "' until its time was up)";
    kill(id, why);
  }
  if (plane_broken_s || connected.size() < members.size() ||
      !is_plane_stuck(sightings, options.stuck, step_median.seconds()))
    return;
  plane_broken_s = now;
  plane_broken_by = 0;
  loss = "the data plane is stuck: all members have waited in it for " +
         std::to_string(long(options.stuck.timeout_s)) + " s";
  record("error", {{"what", loss}});
}

}  // namespace gleaner
