// SPDX-License-Identifier: Apache-2.0
/// Which members are there, but of no use?
///
/// The dead are noticed where connections are; here it is about processes that
/// live: one that never becomes ready, and one that all others wait for.
#include <algorithm>

#include "runtime/generation/membership_state.hh"

namespace gleaner {

void Membership::State::on(MemberEntry& from, msg::Alive const& message) {
  from.alive = message;
  bool const busy = message.busy_left_s > 0;
  if (busy && !from.busy)
    out.record("busy", {{"member", from.id},
                        {"node", from.node},
                        {"why", message.busy},
                        {"limit_s", message.busy_left_s}});
  from.busy = busy;
}

void Membership::State::on(MemberEntry& from, msg::StateDigest const& message) {
  auto const g = message.generation;
  bool const next = change && g == change->generation && change->agreed;
  if (recovery || (!next && g != generation)) return;
  auto const ranks = next ? change->members : members;
  if (!contains(ranks, from.id)) return;
  auto const verdict = state_check.add(ranks, from.id, message);
  if (!verdict) return;
  MemberIds differ;
  for (auto const& one : verdict->differ) differ.push_back(one.member);
  out.record("state_check", {{"generation", verdict->generation},
                             {"step", verdict->step},
                             {"members", verdict->members},
                             {"digests", verdict->digests},
                             {"differ", differ}});
  for (auto const& one : verdict->differ) {
    auto const why = "member " + std::to_string(one.member) +
                     " has another state than the others after the switch to "
                     "generation " +
                     std::to_string(verdict->generation) + ": " + one.how;
    out.record("error", {{"what", why}});
    kill(one.member, "its state differs from that of the others");
  }
}

void Membership::State::check_loading() {
  if (table.in(Phase::announced) + table.in(Phase::connected) == 0) return;
  MemberIds late;
  for (auto const& [id, member] : table.all()) {
    if (member.phase != Phase::announced && member.phase != Phase::connected)
      continue;
    bool const busy = member.alive && member.alive->busy_left_s > 0;
    if (now - member.since_s > options.load_timeout_s && !busy)
      late.push_back(id);
  }
  for (auto const id : late)
    kill(id, table.at(id).phase == Phase::announced
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
  for (auto const id : table.live(in_use)) {
    auto const& alive = table.at(id).alive;
    auto const& last = table.at(id).finished;
    if (!alive) return;
    sightings.push_back({id, *alive});
    // It waits for the last step of the others, as if it were in it.
    if (last && last->generation == generation && alive->at == "library")
      sightings.back().alive.at = "reduction";
  }
  for (auto const id :
       stuck_members(sightings, options.stuck, step_median.seconds())) {
    auto const& alive = *table.at(id).alive;
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
  out.record("error", {{"what", loss}});
}

}  // namespace gleaner
