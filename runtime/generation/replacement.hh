// SPDX-License-Identifier: Apache-2.0
/// When is a member replaced?
///
/// It is killed, and the coordinator may start another in its place, when
/// - it says that it cannot go on (MemberError);
/// - it does not leave its node before the deadline, does not end after its
///   release, or is not ready in time: past_deadline(), late_to_load();
/// - three generations could not be prepared, or be brought about, because of
///   it: failed_too_often();
/// - all others wait for its program, which says nothing: stuck_in();
/// - it does not become quiet after a loss: not_quiet();
/// - its state differs from that of the others: state_check.hh;
/// - planes cannot be connected although nobody died: plane_watch.hh;
/// - the training begins without a checkpoint, and the state of none is as its
///   program made it.
/// A member that died is replaced as well; that is noticed where connections
/// are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/generation/member_table.hh"
#include "runtime/generation/recovery.hh"
#include "runtime/generation/stuck.hh"

namespace gleaner::generation {

struct Replaced {
  msg::MemberId member = 0;
  std::string why;
};

/// Those on nodes that had to be left by now, and those released more than
/// `exit_timeout_s` ago whose program has not ended.
std::vector<Replaced> past_deadline(MemberTable const& table,
                                    double exit_timeout_s, double now);

/// Those that have not said Loaded within `load_timeout_s` of their start, or
/// of their Hello, and are not busy.
std::vector<Replaced> late_to_load(MemberTable const& table,
                                   double load_timeout_s, double now);

/// Counts that a generation failed because of this member.
bool failed_too_often(MemberEntry& member);

/// What the heartbeats of these members last said; nullopt: one of them has
/// said nothing in this generation yet.
std::optional<std::vector<Sighting>> sightings_of(MemberIds const& members,
                                                  MemberTable const& table,
                                                  msg::Generation generation);

/// Those of them that are stuck, as stuck.hh has it.
std::vector<Replaced> stuck_in(std::vector<Sighting> const& sightings,
                               MemberTable const& table, StuckRule const& rule,
                               double median_step_s);

/// Those that have not answered Quiesce within `limit_s`.
std::vector<Replaced> not_quiet(Recovery const& recovery,
                                MemberTable const& table, double limit_s,
                                double now);

}  // namespace gleaner::generation
