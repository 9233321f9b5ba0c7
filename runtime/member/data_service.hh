// SPDX-License-Identifier: Apache-2.0
/// Who asks this member for state, and how it asks others.
///
/// Each member listens for data connections.  Opening them and proving the
/// secret is done in the event loop; then the connection leaves it and belongs
/// to the thread that moves the bytes.  A joiner asks early, as soon as its
/// generation is prepared; its connection waits here until the state is at the
/// switch.
#pragma once

#include <asio.hpp>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/result.hh"
#include "proto/channel.hh"
#include "proto/runtime_messages.hh"
#include "proto/secret_door.hh"
#include "runtime/state/transfer.hh"

namespace gleaner::member {

class DataService {
 public:
  using Connection = state::Transfers::Connection;
  using Permit = state::Transfers::Permit;

  /// Called in the event loop; takes the connection over.
  using OnReduction =
      std::function<void(msg::PullReduction const&, Connection)>;

  struct Joiner {
    msg::FromPeer request;  ///< PullState or PullPortion
    Connection connection;
  };

  DataService(asio::io_context& io, std::string secret, msg::MemberId self)
      : io_(io),
        secret_(std::move(secret)),
        self_(self),
        door_(secret_, {handshake_s}, nullptr) {}

  /// Begin to listen on this numeric address; the result is "host:port".
  Result<std::string> listen(std::string const& address,
                             OnReduction on_reduction);
  void close();  ///< in the event loop

  /// How long another member's machine may be silent; see Transfers.
  void set_silence_limit(double seconds) {
    transfers_.set_silence_limit(seconds);
  }

  /// When a transfer is decided on; abort() voids it.
  Permit permit(msg::Generation generation) {
    return transfers_.permit(generation);
  }

  bool valid(Permit const& permit) { return transfers_.valid(permit); }

  /// Wait until all of these have asked for the state of the generation, and
  /// take their connections.  Fewer when aborted.  Not in the event loop.
  std::vector<Joiner> wait_for(Permit const& permit,
                               std::vector<msg::MemberId> const& joiners);

  /// Connect to another member and ask.  Not in the event loop.  Fails with
  /// unavailable, also when aborted, with denied or with timed_out.
  Result<Connection> ask(Permit const& permit, std::string const& data_address,
                         msg::FromPeer const& request, double timeout_s);

  /// End the transfers of a generation and forget who waits for it.
  void abort(msg::Generation generation);
  /// End all.
  void abort_all();

 private:
  void accepted(std::shared_ptr<proto::Channel> channel);
  void requested(proto::Channel& channel, nlohmann::json const& json);
  void keep(msg::MemberId member, msg::FromPeer const& request,
            Connection connection, msg::Generation generation);

  struct Opening;
  void open(std::string const& address, double timeout_s,
            std::shared_ptr<Opening> opening);

  static constexpr double handshake_s = 10;

  asio::io_context& io_;
  std::string const secret_;
  msg::MemberId const self_;
  proto::SecretDoor door_;
  std::unique_ptr<proto::Listener> listener_;
  OnReduction on_reduction_;
  state::Transfers transfers_;

  std::mutex mutex_;  ///< for what follows
  std::condition_variable changed_;
  /// Who waits for the state, by generation.
  std::map<msg::Generation, std::map<msg::MemberId, Joiner>> waiting_;
};

}  // namespace gleaner::member
