// SPDX-License-Identifier: Apache-2.0
/// Whether leases are possible: checks Slurm's setup, keeps the reservation.
///
/// The reservation lets jobs in it start at once.  It is kept only while
/// slurmctld says that job_submit_gleaner is loaded, which keeps users out of
/// it, and taken away when it is not.  With `mode: observe` it is left as is.
#pragma once

#include <asio.hpp>
#include <functional>
#include <memory>
#include <string>

#include "core/clock.hh"
#include "core/config.hh"
#include "core/throttle.hh"
#include "daemon/io/slurm_worker.hh"
#include "slurm/control.hh"

namespace gleaner::daemon {

class SetupWatch {
 public:
  /// After each check that succeeded: can leases be had, and what was found.
  using OnSetup =
      std::function<void(bool possible, slurm::SlurmSetup const& setup)>;

  SetupWatch(asio::io_context& io, SlurmWorker& worker, Clock const& clock,
             std::shared_ptr<slurm::SlurmControl> control, OnSetup on_setup);

  /// Check now and regularly from now on.
  void start(Config const& config);

  /// Slurm may have changed: check soon.
  void check_soon();

 private:
  struct Outcome {
    Result<slurm::SlurmSetup> setup;
    Result<void> reservation;
  };
  static Outcome check(slurm::SlurmControl& control, bool observe);
  void look();
  void arm(double seconds);
  void finish(Outcome const& outcome);
  void report(slurm::SlurmSetup const& setup);

  SlurmWorker& worker_;
  Clock const& clock_;
  std::shared_ptr<slurm::SlurmControl> control_;
  OnSetup on_setup_;
  asio::steady_timer timer_;
  bool observe_ = false;
  bool looking_ = false;
  std::string reported_;  ///< what was last said of the setup
  Throttle throttle_;
};

}  // namespace gleaner::daemon
