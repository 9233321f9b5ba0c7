// SPDX-License-Identifier: Apache-2.0
#include "runtime/generation/replacement.hh"

namespace gleaner::generation {

std::vector<Replaced> past_deadline(MemberTable const& table,
                                    double exit_timeout_s, double now) {
  std::vector<Replaced> found;
  if (table.nodes_leaving() == 0 && table.in(Phase::released) == 0)
    return found;
  for (auto const& [id, member] : table.all()) {
    auto const& node = table.node_of(id);
    if (node.leaving && node.deadline_s <= now)
      found.push_back({id, "its node had to be left: " + node.cause});
    else if (member.phase == Phase::released &&
             now - member.since_s > exit_timeout_s)
      found.push_back({id, "it did not end after its release"});
  }
  return found;
}

std::vector<Replaced> late_to_load(MemberTable const& table,
                                   double load_timeout_s, double now) {
  std::vector<Replaced> late;
  if (table.in(Phase::announced) + table.in(Phase::connected) == 0) return late;
  for (auto const& [id, member] : table.all()) {
    if (member.phase != Phase::announced && member.phase != Phase::connected)
      continue;
    bool const busy = member.alive && member.alive->busy_left_s > 0;
    if (now - member.since_s <= load_timeout_s || busy) continue;
    late.push_back({id, member.phase == Phase::announced
                            ? "it did not call gleaner_open() in time"
                            : "it did not call gleaner_start() in time"});
  }
  return late;
}

bool failed_too_often(MemberEntry& member) {
  constexpr int attempts = 3;
  return ++member.failures >= attempts;
}

std::optional<std::vector<Sighting>> sightings_of(MemberIds const& members,
                                                  MemberTable const& table,
                                                  msg::Generation generation) {
  std::vector<Sighting> sightings;
  for (auto const id : members) {
    auto const& member = table.at(id);
    if (!member.alive) return std::nullopt;
    sightings.push_back({id, *member.alive});
    // It waits for the last step of the others, as if it were in it.
    if (member.finished && member.finished->generation == generation &&
        member.alive->at == "library")
      sightings.back().alive.at = "reduction";
  }
  return sightings;
}

std::vector<Replaced> stuck_in(std::vector<Sighting> const& sightings,
                               MemberTable const& table, StuckRule const& rule,
                               double median_step_s) {
  std::vector<Replaced> found;
  for (auto const id : stuck_members(sightings, rule, median_step_s)) {
    auto const& alive = *table.at(id).alive;
    auto why = "it is stuck: all others wait for it in step " +
               std::to_string(alive.step) + ", and for " +
               std::to_string(long(alive.for_s)) +
               " s its program has not called gleaner_reduce()";
    if (!alive.busy.empty())
      why += " (it was busy with '" + alive.busy + "' until its time was up)";
    found.push_back({id, std::move(why)});
  }
  return found;
}

std::vector<Replaced> not_quiet(Recovery const& recovery,
                                MemberTable const& table, double limit_s,
                                double now) {
  std::vector<Replaced> silent;
  if (now - recovery.since_s() <= limit_s) return silent;
  for (auto const id : table.live(recovery.asked()))
    if (!recovery.has_answered(id))
      silent.push_back({id, "it did not become quiet"});
  return silent;
}

}  // namespace gleaner::generation
