// SPDX-License-Identifier: Apache-2.0
/// What does the scavenger do next: connect, look, or tell gleanerd?
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/clock.hh"
#include "plugins/sched/daemon_link.hh"
#include "plugins/sched/look_count.hh"
#include "plugins/sched/wake_socket.hh"
#include "plugins/settings.hh"
#include "slurm/load.hh"
#include "slurm/scan_pacer.hh"

namespace gleaner::sched {

/// What is kept between two turns.
class ScavengerLoop {
 public:
  /// Wait for what comes first and act on it.  `stop_fd` only ends the wait.
  void turn(int stop_fd);

 private:
  static constexpr double never = -1e9;

  void reconfigure();
  void try_connect();
  void look_if_due();
  void look();
  void push(double took_s);
  void lost(Error const& error);
  double wait_s() const;

  SystemClock clock_;
  plugins::Settings settings_;
  Config config_;
  WakeSocket wake_;
  DaemonLink link_;
  std::optional<slurm::ScanPacer> pacer_;
  std::unique_ptr<slurm::SnapshotSource> source_;
  double retry_at_s_ = 0;
  double retry_s_ = 0;
  double pushed_at_s_ = never;    ///< on this connection
  Snapshot snapshot_;             ///< the last one seen
  std::optional<Snapshot> sent_;  ///< what gleanerd has been told
  bool owed_ = false;             ///< snapshot_ is still to be sent
  LookCount looks_;               ///< on this connection
  std::string not_found_;         ///< why the last attempt failed
  bool wake_failed_ = false;
  bool load_failed_ = false;
};

}  // namespace gleaner::sched
