// SPDX-License-Identifier: Apache-2.0
/// Which members keep all others waiting, and say nothing that explains it?
/// And when does the data plane keep all of them waiting?
///
/// A member whose process is frozen falls silent, and counts as dead.  One
/// whose program is in an endless loop, or waits for a lock or a dead file
/// server, still sends heartbeats; only that the others wait for it gives it
/// away. Without I/O or clock: a function of what heartbeats said last.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "proto/runtime_messages.hh"

namespace gleaner::generation {

/// How long members wait for one before it counts as stuck.
struct StuckRule {
  double timeout_s = 60;  ///< and not less
  double factor = 10;     ///< median steps
  /// In its first steps a program compiles, fills caches, tunes itself.
  std::uint64_t first_steps = 3;
  double first_steps_factor = 5;
};

/// The usual duration of a step.
class StepMedian {
 public:
  void add(double duration_s);
  double seconds() const;  ///< 0 before the first

 private:
  static constexpr std::size_t kept = 31;
  std::deque<double> recent_;
};

/// The last heartbeat of a member of the generation in use.
struct Sighting {
  msg::MemberId member = 0;
  msg::Alive alive;
};

/// Those that all others have waited for too long: somebody waits in a
/// reduction, all who wait have done so for longer than the rule allows, and
/// all who compute have computed for longer, are not busy, and are no
/// newcomers.  While only one of them may rightly take its time, nobody is
/// stuck: the others might be waiting for that one.
std::vector<msg::MemberId> stuck_members(std::vector<Sighting> const& sightings,
                                         StuckRule const& rule,
                                         double median_step_s);

/// All have computed their part, and have waited for longer than the rule
/// allows: what they wait for is not one of them.  A link between two of them
/// is down of which the plane does not notice, or one of its processes hangs.
bool is_plane_stuck(std::vector<Sighting> const& sightings,
                    StuckRule const& rule, double median_step_s);

}  // namespace gleaner::generation
