// SPDX-License-Identifier: Apache-2.0
/// How are the counts of histories added up and written?
#include "simulation_counts.hh"

namespace gleaner::generation::simulation {

void Counts::add(Counts const& o) {
  histories += o.histories, events += o.events, kills += o.kills;
  zombies += o.zombies, switches += o.switches, takeovers += o.takeovers;
  redone += o.redone, short_steps += o.short_steps;
  recoveries += o.recoveries, parks += o.parks, rollbacks += o.rollbacks;
  withdrawals += o.withdrawals, late_withdrawals += o.late_withdrawals;
  resets += o.resets, checkpoints += o.checkpoints, steps += o.steps;
  replaced += o.replaced, complaints += o.complaints;
  coordinators += o.coordinators, shares += o.shares;
  followed += o.followed, fed += o.fed;
  lost_again += o.lost_again;
  holds += o.holds, freezes += o.freezes, thaws += o.thaws;
  refused += o.refused, stuck += o.stuck, never_ready += o.never_ready;
  overdue += o.overdue, not_quiet += o.not_quiet, withdrawn += o.withdrawn;
  foretold += o.foretold, jams += o.jams;
  stopped += o.stopped, spoiled += o.spoiled, parts += o.parts,
      tried_again += o.tried_again;
}

std::string Counts::text() const {
  auto const item = [](char const* name, std::uint64_t n) {
    return " " + std::string(name) + "=" + std::to_string(n);
  };
  return "histories=" + std::to_string(histories) + item("events", events) +
         item("steps", steps) + item("kills", kills) +
         item("zombies", zombies) + item("recoveries", recoveries) +
         item("switches", switches) + item("takeovers", takeovers) +
         item("redone", redone) + item("short_steps", short_steps) +
         item("parks", parks) + item("rollbacks", rollbacks) +
         item("withdrawals", withdrawals) +
         item("late_withdrawals", late_withdrawals) + item("resets", resets) +
         item("checkpoints", checkpoints) + item("replaced", replaced) +
         item("complaints", complaints) + item("coordinators", coordinators) +
         item("shares", shares) + item("parts", parts) +
         item("stopped", stopped) + item("spoiled", spoiled) +
         item("tried_again", tried_again) + item("lost_again", lost_again) +
         item("holds", holds) + item("freezes", freezes) +
         item("thaws", thaws) + item("refused", refused) +
         item("stuck", stuck) + item("never_ready", never_ready) +
         item("overdue", overdue) + item("not_quiet", not_quiet) +
         item("withdrawn", withdrawn) + item("foretold", foretold) +
         item("jams", jams) + item("followed", followed) + item("fed", fed);
}

}  // namespace gleaner::generation::simulation
