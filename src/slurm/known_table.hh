// SPDX-License-Identifier: Apache-2.0
/// Can one of slurmctld's tables have changed since it was loaded?
///
/// slurmctld keeps the second of each table's last change.  So a table that was
/// loaded in that second may have changed again within it.
#pragma once

#include <ctime>
#include <functional>

#include "slurm/look_budget.hh"

namespace gleaner::slurm {

/// When each table changed last.
struct TableTimes {
  time_t nodes = 0;
  time_t jobs = 0;
  time_t partitions = 0;
  time_t reservations = 0;
};

/// Reads them without an RPC; empty where that is not possible.
using ReadTableTimes = std::function<TableTimes()>;

class KnownTable {
 public:
  /// The table was loaded as of second `as_of`; `changed` is its last change
  /// as read before.
  void loaded(time_t as_of, time_t changed) {
    as_of_ = as_of;
    changed_ = changed;
  }
  void forget() { as_of_ = 0; }

  /// What to pass to slurm_load_*(): 0 asks for everything.
  time_t as_of() const { return as_of_; }

  /// Its last change is at `changed`.  Changes may be missed within one second,
  /// so look again when that second is over; before, a look is worth little.
  Change since(time_t changed, double now_s) const {
    if (as_of_ == 0 || changed != changed_) return Change::sure;
    if (changed < as_of_) return Change::none;
    return now_s < static_cast<double>(as_of_) + 1 ? Change::maybe
                                                   : Change::sure;
  }

 private:
  time_t as_of_ = 0;  ///< 0: not loaded
  time_t changed_ = 0;
};

}  // namespace gleaner::slurm
