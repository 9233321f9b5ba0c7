// SPDX-License-Identifier: Apache-2.0
/// `scavenger: poll`: gleanerd looks for holes itself.
///
/// As often as the scavenger would (scan_pacer.hh), one look at a time, in the
/// Slurm thread.
#pragma once

#include <asio.hpp>
#include <memory>

#include "core/clock.hh"
#include "core/config.hh"
#include "core/throttle.hh"
#include "daemon/io/hole_source.hh"
#include "daemon/io/slurm_worker.hh"
#include "slurm/load.hh"
#include "slurm/scan_pacer.hh"

namespace gleaner::daemon {

class Poller final : public HoleSource {
 public:
  Poller(asio::io_context& io, SlurmWorker& worker, Clock const& clock,
         std::unique_ptr<slurm::SnapshotSource> source, OnSnapshot on_snapshot);

  /// Begin, or go on with other intervals.
  void start(Config const& config);
  void look_again() override;
  void hint(slurm::ScanPacer::Cause cause);

 private:
  struct Look {
    Result<slurm::Loaded> loaded;
    double begin_s, end_s, cpu_s;
  };
  void look();
  void arm();
  void finish(Look const& look);

  SlurmWorker& worker_;
  Clock const& clock_;
  std::shared_ptr<slurm::SnapshotSource> source_;
  OnSnapshot on_snapshot_;
  asio::steady_timer timer_;
  slurm::ScanPacer pacer_{{}};
  bool looking_ = false;  ///< the Slurm thread has one
  Throttle throttle_;
};

}  // namespace gleaner::daemon
