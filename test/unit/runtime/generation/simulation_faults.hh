// SPDX-License-Identifier: Apache-2.0
/// What may go wrong in a simulated history, and what is put wrong in it?
#pragma once

#include <cstddef>

#include "proto/runtime_messages.hh"

namespace gleaner::generation::simulation {

/// A defect put into the world around the classes, to see that it is noticed.
enum class Mutant {
  none,
  early_stable,      ///< a step is reported as stable when it is complete
  hasty_leaver,      ///< a leaver ends at the boundary, unseen
  joiner_as_source,  ///< a member that only received state calls itself full
  mixed_buckets,     ///< a redone step keeps buckets of the first try
  missed_reduction,  ///< a member does not feed a reduction
  late_snapshot,     ///< the state is fed as it is when it is sent
  early_reuse,       ///< buckets are reused before the first bucket is complete
  torn_takeover,     ///< a reduction is taken over before all of it is there
  forgetful_rank_0,  ///< a report of a stable step is lost without a death
  skipped_share,     ///< what a member got of a lost one is not computed
};

/// What may happen to members.
enum class Faults { none, all };

/// One fault, at a point that chance seldom meets: the member that was at this
/// place in the first generation stops when it has all of R(step), and has not
/// launched the first bucket of the next step.
struct Hold {
  enum class Fate { dies, thaws, is_lost };  ///< the last two: it is frozen
  enum class Order { first, last };          ///< to have R(step), of all

  std::size_t rank = 0;
  msg::Step step = 1;
  Fate fate = Fate::dies;
  Order order = Order::first;
};

}  // namespace gleaner::generation::simulation
