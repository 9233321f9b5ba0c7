// SPDX-License-Identifier: Apache-2.0
/// What does slurmctld say now?  Asks only for what may have changed.
///
/// The same code runs in slurmctld's scavenger thread and in gleanerd.  The
/// thread can read when each of slurmctld's tables changed last, so an
/// unchanged cluster costs it no RPC, except one in two seconds while jobs
/// wait: that of sdiag, which tells whether backfill may have planned them
/// again.  gleanerd must send four requests to learn "no change".
#pragma once

#include <memory>

#include "core/cluster.hh"
#include "core/result.hh"
#include "slurm/known_table.hh"
#include "slurm/snapshot.hh"

namespace gleaner::slurm {

struct Loaded {
  Snapshot snapshot;
  bool changed = true;  ///< false: as the one before, but for its time
};

/// Where snapshots come from; tests put their own behind it.
class SnapshotSource {
 public:
  virtual ~SnapshotSource() = default;

  /// Can a load() at `now_s` find anything new?  Sends no request.
  virtual Change change(TimeS) const { return Change::sure; }

  /// Ask now.  Fails with unavailable, quoting Slurm, when slurmctld does not
  /// answer; the next call may succeed.  Blocks for the time of up to five
  /// RPCs: milliseconds, or Slurm's MessageTimeout when slurmctld hangs.
  virtual Result<Loaded> load(TimeS now_s) = 0;
};

/// Asks slurmctld through libslurm.  In a program, init_libslurm() comes
/// first; inside slurmctld nothing does, and there `times` may be known.  Not
/// thread-safe.
std::unique_ptr<SnapshotSource> make_slurm_source(SnapshotOptions options,
                                                  ReadTableTimes times = {});

}  // namespace gleaner::slurm
