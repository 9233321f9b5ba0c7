// SPDX-License-Identifier: Apache-2.0
/// The coordinator's connection to gleanerd, kept up for as long as it takes.
///
/// MUNGE proves who is at each end, and nothing is said before.  After every
/// connect the first message is Register with the leases we hold, so that a
/// gleanerd that was restarted knows them. While gleanerd is away the training
/// goes on; what is sent then is dropped, because Register says it all again.
#pragma once

#include <asio.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proto/channel.hh"
#include "proto/daemon_messages.hh"
#include "runtime/coordinator/node_source.hh"

namespace gleaner::coordinator {

class DaemonLink final : public NodeSource {
 public:
  struct Options {
    std::string address;  ///< gleaner.yaml's `address`
    std::string munge_socket;
    std::vector<Uid> trusted;  ///< uids that gleanerd may have
  };
  /// What to register with; asked at each connect.
  using MakeRegister = std::function<msg::Register()>;

  DaemonLink(asio::io_context& io, Options options, MakeRegister make_register,
             OnMessage on_message);
  /// Closes; no callback follows.  Waits for a munged that is being asked.
  ~DaemonLink() override;

  void start() override;
  void send(msg::FromCoordinator const& message) override;
  void close() override;

 private:
  void connect();
  void authenticate(std::shared_ptr<proto::Channel> channel);
  void registered(std::shared_ptr<proto::Channel> channel);
  void lost(Error const& error);

  asio::io_context& io_;
  asio::steady_timer retry_;
  Options options_;
  MakeRegister make_register_;
  OnMessage on_message_;
  std::shared_ptr<proto::Channel> channel_;  ///< null: not connected
  double pause_s_;
  std::optional<Errc> told_;  ///< the log says that gleanerd is away, and why
  bool closed_ = false;
  /// Callbacks that outlive us find this expired.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  /// Asks munged: one that hangs keeps nobody from training.
  asio::thread_pool munge_{1};
};

}  // namespace gleaner::coordinator
