// SPDX-License-Identifier: Apache-2.0
/// How coordinators and `gleaner` reach gleanerd: TCP, MUNGE on connect.
///
/// Who sends what cannot be read is cut off, and that changes nothing.  A
/// connection is a coordinator's once it has sent Register; whether it may
/// speak for that job is the brain's decision.
///
/// munged is asked in a thread of its own: while it hangs nobody gets in, and
/// those who are in notice nothing.  For all else there is one thread, so
/// nobody may have much of it: few connections before MUNGE (strangers.hh), and
/// then, for each user and however often he connects, so many connections,
/// messages, bytes and answers (token_buckets.hh).
#pragma once

#include <asio.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "core/clock.hh"
#include "core/config.hh"
#include "core/throttle.hh"
#include "daemon/decisions/actions.hh"
#include "daemon/decisions/status_cache.hh"
#include "daemon/decisions/token_buckets.hh"
#include "daemon/io/slurm_worker.hh"
#include "proto/channel.hh"
#include "proto/daemon_messages.hh"
#include "proto/strangers.hh"

namespace gleaner::daemon {

class ClientDoor {
 public:
  struct Handlers {
    std::function<void(LinkId, Uid, msg::FromCoordinator const&)> on_message;
    std::function<void(LinkId)> on_lost;  ///< of a link that sent a message
    std::function<msg::StatusReply()> status;
    std::function<msg::ProfileReply(msg::ProfileRequest const&)> profile;
    /// Whether this user may give orders is for the handler to decide.
    std::function<msg::AdminReply(Uid, msg::AdminRequest const&)> admin;
  };

  /// Fails with io when the port cannot be had, and when there are too few
  /// file descriptors for clients beside everything else.
  static Result<std::unique_ptr<ClientDoor>> open(asio::io_context& io,
                                                  Config const& config,
                                                  Clock const& clock,
                                                  Handlers handlers);
  ~ClientDoor();

  /// Send to a coordinator; dropped when it is gone.
  void send(LinkId link, msg::ToCoordinator const& message);

  /// Close after what was sent; on_lost is not called.
  void close(LinkId link);

  /// Ask munged nothing more.  False when a call under way did not return in
  /// time.
  bool stop(double seconds) { return munge_.stop(seconds); }

  int port() const { return listener_->port(); }

 private:
  struct Link {
    std::shared_ptr<proto::Channel> channel;
    std::optional<Uid> uid;  ///< once MUNGE has told
    bool coordinator = false;
  };

  ClientDoor(asio::io_context& io, Config const& config, Clock const& clock,
             Handlers handlers, std::size_t links_most);
  void on_accept(std::shared_ptr<proto::Channel> channel);
  void on_identified(LinkId id, Uid uid);
  void on_json(LinkId id, nlohmann::json const& json);
  void on_client(LinkId id, msg::FromClient const& request);
  void on_closed(LinkId id, Error const& error);
  void refuse(LinkId id, std::string const& why);
  static LogLine line_of(char const* event, Link const& link,
                         std::string const& why);
  static bool is_trusted(Uid uid);
  bool is_crowded(Uid uid) const;
  std::string overspent(Uid uid, std::size_t bytes);

  std::string munge_socket_;
  Clock const& clock_;
  Handlers handlers_;
  std::unique_ptr<proto::Listener> listener_;
  std::size_t links_max_;
  std::map<LinkId, Link> links_;
  SlurmWorker munge_;
  proto::Strangers strangers_;
  TokenBuckets messages_, bytes_, answers_;
  StatusCache status_;
  LinkId last_ = 0;
  Throttle throttle_;
};

}  // namespace gleaner::daemon
