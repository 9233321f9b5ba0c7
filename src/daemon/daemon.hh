// SPDX-License-Identifier: Apache-2.0
/// gleanerd: carries out what the brain decides.
///
/// One thread runs everything but calls to Slurm, which wait in a thread of
/// their own (slurm_worker.hh).
///
/// STARTUP   directories, lock, ticket.key, journal, sockets.  Leases that
///           exist are adopted from the first snapshot.
/// OPERATION an event (snapshot, hint, message, answer of Slurm, passed time)
///           goes to the brain; its actions are carried out at once.
/// STOP      sockets are closed; leases and trainings go on, and the
///           reservation stays: job_submit_gleaner admits nobody without a
///           fresh ticket.
#pragma once

#include <asio.hpp>
#include <memory>
#include <string>

#include "core/clock.hh"
#include "core/config.hh"
#include "core/throttle.hh"
#include "daemon/decisions/brain.hh"
#include "daemon/io/client_door.hh"
#include "daemon/io/free_nodes_file.hh"
#include "daemon/io/journal.hh"
#include "daemon/io/lease_ender.hh"
#include "daemon/io/plugin_door.hh"
#include "daemon/io/poller.hh"
#include "daemon/io/profile_store.hh"
#include "daemon/io/setup_watch.hh"
#include "daemon/io/slurm_worker.hh"

namespace gleaner::daemon {

class Daemon {
 public:
  /// What differs between a machine and a test.
  struct Outside {
    std::shared_ptr<slurm::SlurmControl> control;
    std::unique_ptr<slurm::SnapshotSource> source;  ///< for `scavenger: poll`
  };

  /// Fails, with a message for the administrator, when it cannot work at all.
  static Result<std::unique_ptr<Daemon>> start(asio::io_context& io,
                                               Config const& config,
                                               Clock const& clock,
                                               Outside outside);

  /// Use a configuration read again; sockets and directories stay as they are.
  /// With mode: observe, or with nodes drained there, what is lent of them is
  /// asked back.
  void reconfigure(Config const& config);

  /// False when Slurm did not answer in time: end the process all the same.
  bool stop();

  int port() const { return clients_->port(); }

 private:
  Daemon(asio::io_context& io, Config const& config, Clock const& clock,
         Outside outside);
  void load_profiles(Config const& config);
  Result<void> open(Config const& config);
  PluginDoor::Handlers plugin_handlers();
  ClientDoor::Handlers client_handlers();
  msg::AdminReply on_order(Uid uid, msg::AdminRequest const& request);
  void look_again();
  void look_for_status();
  void on_snapshot(Snapshot snapshot);
  void decide();
  void decide_soon();
  void arm();
  void leases_ended(std::size_t leases, Result<void> const& done);
  void publish_free_nodes();
  void record(Record const& record);

  // How each action is carried out.
  void act(Offer const& offer);
  void act(Tell const& tell);
  void act(CloseLink const& close);
  void act(EndLease const& end);
  void act(ExtendLease const& extend);
  void act(BeginJob const& begin);
  void act(LookAtQueue const&);
  void act(LookAgain const& look);
  void act(Record const& record);
  void act(SaveProblem const& solved);
  void act(KeepProfiles const& keep);

  asio::io_context& io_;
  Clock const& clock_;
  Brain brain_;
  std::shared_ptr<slurm::SlurmControl> control_;
  std::string ticket_key_;
  NodeSet lease_nodes_;  ///< of the lease partition; empty: not known yet
  std::string default_partition_;
  std::unique_ptr<FreeNodesFile> free_nodes_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<ProfileStore> profiles_;  ///< null when it cannot be had
  SlurmWorker worker_;
  LeaseEnder ender_;
  std::unique_ptr<SetupWatch> setup_;
  std::unique_ptr<Poller> poller_;  ///< null with `scavenger: plugin`
  std::unique_ptr<PluginDoor> plugins_;
  std::unique_ptr<ClientDoor> clients_;
  asio::steady_timer timer_;
  asio::steady_timer rest_;      ///< until the next decision for clients
  double status_look_s_ = -1e9;  ///< when one was asked for last
  double rested_s_ = 0;          ///< when that may be
  bool deciding_soon_ = false;   ///< rest_ is running
  Throttle throttle_;
  std::unique_ptr<slurm::SnapshotSource> source_;  ///< until poller_ takes it
  TimeS silent_since_s_ = 0;  ///< when the last snapshot came
};

}  // namespace gleaner::daemon
