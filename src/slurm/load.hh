// SPDX-License-Identifier: Apache-2.0
/// What slurmctld says now, asked so that an unchanged cluster costs nothing.
///
/// The same code runs in slurmctld's scavenger thread and in gleanerd.
#pragma once

#include <memory>

#include "core/cluster.hh"
#include "core/result.hh"
#include "slurm/snapshot.hh"

namespace gleaner {

struct Loaded {
  Snapshot snapshot;
  bool changed = true;  ///< false: as the one before, but for its time
};

/// Where snapshots come from; tests put their own behind it.
class SnapshotSource {
 public:
  virtual ~SnapshotSource() = default;

  /// Ask now.  Fails with unavailable, quoting Slurm, when slurmctld does not
  /// answer; the next call may succeed.  Blocks for the time of up to four
  /// RPCs: milliseconds, or Slurm's MessageTimeout when slurmctld hangs.
  virtual Result<Loaded> load(TimeS now_s) = 0;
};

/// Asks slurmctld through libslurm.  In a program, init_libslurm() comes
/// first; inside slurmctld nothing does.  Not thread-safe.
std::unique_ptr<SnapshotSource> make_slurm_source(SnapshotOptions options);

}  // namespace gleaner
