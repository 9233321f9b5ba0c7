// SPDX-License-Identifier: Apache-2.0
/// Which connections does a training's process accept?  Those that prove its
/// secret.
///
/// Others may connect, too, so connections without proof are limited in number
/// and time.  Beyond the limit the oldest one of the address with most of them
/// is closed (strangers.hh).  A handshake has a time limit, and its frames are
/// small.  An honest peer that was closed tries again (secret_connect()).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "proto/channel.hh"
#include "proto/secret_handshake.hh"
#include "proto/strangers.hh"

namespace gleaner::proto {

/// In one event loop, and outlives what it let in.
class SecretDoor {
 public:
  /// Somebody was refused; for a log, whose lines strangers must not be able to
  /// make many of.  Not called when he went by himself.
  using OnRefused =
      std::function<void(std::string const& peer, Error const& why)>;

  struct Limits {
    double handshake_s = 5;
    std::size_t strangers_max = 128;
  };

  SecretDoor(std::string secret, Limits limits, OnRefused on_refused)
      : secret_(std::move(secret)),
        limits_(limits),
        on_refused_(std::move(on_refused)),
        strangers_(limits.strangers_max) {}

  /// Somebody connected.  `entered` is called once he has proved the secret,
  /// `on_close` for closes after that.
  void knock(std::shared_ptr<Channel> channel, Channel::OnClose on_close,
             std::function<void(PeerRole const&)> entered);

  std::size_t strangers() const { return strangers_.size(); }

 private:
  void make_room(Strangers::Id leaver);

  std::string const secret_;
  Limits const limits_;
  OnRefused const on_refused_;
  Strangers strangers_;
  Strangers::Id last_ = 0;
  std::map<Strangers::Id, std::weak_ptr<Channel>> waiting_;
};

/// Connect to "host:port" and prove the secret.  Fails with unavailable or
/// timed_out when nobody listens, at once; with denied when the secret is
/// another.  A connection that is closed before either end is proven may have
/// given way to others: then again, until `timeout_s` is over.  `done` gets a
/// channel as secret_client() leaves it.
void secret_connect(asio::io_context& io, std::string const& address,
                    std::string const& secret, PeerRole const& self,
                    double timeout_s, Channel::OnClose on_close,
                    std::function<void(Result<std::shared_ptr<Channel>>)> done);

}  // namespace gleaner::proto
