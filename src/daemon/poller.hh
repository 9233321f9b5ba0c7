// SPDX-License-Identifier: Apache-2.0
/// `scavenger: poll`: gleanerd looks for holes itself.
///
/// Looks are at most scan_interval_ms and at least scan_gap_ms_min apart, one
/// at a time, in the Slurm thread.
#pragma once

#include <asio.hpp>
#include <memory>

#include "core/clock.hh"
#include "core/config.hh"
#include "daemon/hole_source.hh"
#include "daemon/slurm_worker.hh"
#include "daemon/throttle.hh"
#include "slurm/load.hh"

namespace gleaner {

class Poller final : public HoleSource {
 public:
  Poller(asio::io_context& io, SlurmWorker& worker, Clock const& clock,
         std::unique_ptr<SnapshotSource> source, OnSnapshot on_snapshot);

  /// Begin, or go on with other intervals.
  void start(Config const& config);
  void look_again() override;

 private:
  void look();
  void arm(double seconds);
  void finish(Result<Loaded> loaded);

  SlurmWorker& worker_;
  Clock const& clock_;
  std::shared_ptr<SnapshotSource> source_;
  OnSnapshot on_snapshot_;
  asio::steady_timer timer_;
  double interval_s_ = 1;
  double gap_s_ = 0.02;
  double looked_s_ = 0;   ///< when the last look ended, monotonic
  bool looking_ = false;  ///< the Slurm thread has one
  bool again_ = false;    ///< something changed meanwhile
  Throttle throttle_;
};

}  // namespace gleaner
