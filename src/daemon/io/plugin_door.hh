// SPDX-License-Identifier: Apache-2.0
/// How the plugins reach gleanerd: RUN_DIR/gleanerd.sock and RUN_DIR/hint.sock.
///
/// Only root and gleanerd's own user may connect; a peer that sends what cannot
/// be read is cut off, and that changes nothing.  A hint means "look again now"
/// and nothing else.
#pragma once

#include <array>
#include <asio.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "core/clock.hh"
#include "core/config.hh"
#include "core/throttle.hh"
#include "daemon/io/hole_source.hh"
#include "proto/channel.hh"
#include "proto/daemon_messages.hh"
#include "slurm/scan_pacer.hh"

namespace gleaner::daemon {

class PluginDoor final : public HoleSource {
 public:
  struct Handlers {
    OnSnapshot on_snapshot;
    std::function<void(slurm::ScanPacer::Cause)> on_hint;
    /// One has connected, or is gone; none: it is gone.
    std::function<void(std::optional<msg::PluginHello>)> on_scavenger;
  };

  /// Fails with io when a socket cannot be made.
  static Result<std::unique_ptr<PluginDoor>> open(asio::io_context& io,
                                                  Config const& config,
                                                  Clock const& clock,
                                                  Handlers handlers);

  /// Asks the scavenger that is connected, if any.
  void look_again() override;

  /// Have slurmctld look at its queue, if the scavenger can.
  void look_at_queue();

 private:
  PluginDoor(asio::io_context& io, Clock const& clock, Handlers handlers);
  Result<void> bind_hints(std::string const& path);
  void receive_hints();
  void on_accept(std::shared_ptr<proto::Channel> channel);
  void on_message(std::shared_ptr<proto::Channel> const& channel,
                  nlohmann::json const& json);
  void on_plugin(std::shared_ptr<proto::Channel> const& channel,
                 msg::PluginHello const& hello);
  void on_holes(std::shared_ptr<proto::Channel> const& channel,
                msg::FromPlugin message);
  void close(std::shared_ptr<proto::Channel> const& channel, Error const& why);
  void leave(std::shared_ptr<proto::Channel> const& channel);

  Clock const& clock_;
  Handlers handlers_;
  std::unique_ptr<proto::Listener> listener_;
  asio::local::datagram_protocol::socket hints_;
  std::array<char, 512> hint_{};
  std::set<std::shared_ptr<proto::Channel>> channels_;
  std::shared_ptr<proto::Channel> scavenger_;
  bool looks_at_queue_ = false;       ///< it can
  std::optional<Snapshot> snapshot_;  ///< the last one on its connection
  Throttle throttle_;
};

}  // namespace gleaner::daemon
