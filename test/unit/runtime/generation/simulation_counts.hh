// SPDX-License-Identifier: Apache-2.0
/// How often did what happen in simulated histories?
#pragma once

#include <cstdint>
#include <string>

namespace gleaner::generation::simulation {

struct Counts {
  std::uint64_t histories = 0, events = 0, kills = 0, zombies = 0, switches = 0,
                takeovers = 0, redone = 0, short_steps = 0, recoveries = 0,
                parks = 0, rollbacks = 0, withdrawals = 0, late_withdrawals = 0,
                resets = 0, checkpoints = 0, steps = 0, replaced = 0,
                complaints = 0, coordinators = 0, shares = 0, lost_again = 0,
                holds = 0, freezes = 0, thaws = 0, refused = 0, stuck = 0,
                never_ready = 0, overdue = 0, not_quiet = 0, withdrawn = 0,
                foretold = 0, jams = 0, followed = 0, fed = 0, stopped = 0,
                spoiled = 0, parts = 0, tried_again = 0;
  void add(Counts const& other);
  std::string text() const;
};

}  // namespace gleaner::generation::simulation
