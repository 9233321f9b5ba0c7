// SPDX-License-Identifier: Apache-2.0
/// Which connections does a training's process accept?  Those that prove its
/// secret.
#include "proto/secret_door.hh"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/clock.hh"

namespace gleaner::proto {
namespace {

constexpr std::chrono::milliseconds again_after{50};

/// Attempts at one address, until one succeeds or the time is over.
class SecretConnection : public std::enable_shared_from_this<SecretConnection> {
 public:
  using Done = std::function<void(Result<std::shared_ptr<Channel>>)>;

  SecretConnection(asio::io_context& io, std::string address,
                   std::string secret, PeerRole self, double timeout_s,
                   Channel::OnClose on_close, Done done)
      : io_(io),
        pause_(io),
        address_(std::move(address)),
        secret_(std::move(secret)),
        self_(std::move(self)),
        end_s_(now_s() + timeout_s),
        on_close_(std::move(on_close)),
        done_(std::move(done)) {}

  void attempt() {
    connect_tcp(io_, address_, left_s(),
                [self = shared_from_this()](auto channel) {
                  if (!channel) return self->done_(channel.error());
                  self->prove(*channel);
                });
  }

 private:
  static double now_s() { return SystemClock().monotonic_s(); }
  double left_s() const { return end_s_ - now_s(); }

  void prove(std::shared_ptr<Channel> const& channel) {
    secret_client(channel, secret_, self_, std::max(left_s(), 0.0), on_close_,
                  [self = shared_from_this(), channel](Result<void> proven) {
                    if (proven) return self->done_(channel);
                    self->failed(proven.error());
                  });
  }

  void failed(Error const& why) {
    std::chrono::duration<double> const pause(again_after);
    if (why.code != Errc::unavailable || left_s() < 2 * pause.count())
      return done_(why);
    pause_.expires_after(again_after);
    pause_.async_wait([self = shared_from_this()](asio::error_code error) {
      if (!error) self->attempt();
    });
  }

  asio::io_context& io_;
  asio::steady_timer pause_;
  std::string const address_;
  std::string const secret_;
  PeerRole const self_;
  double const end_s_;
  Channel::OnClose const on_close_;
  Done const done_;
};

}  // namespace

void SecretDoor::knock(std::shared_ptr<Channel> channel,
                       Channel::OnClose on_close,
                       std::function<void(PeerRole const&)> entered) {
  auto const id = ++last_;
  if (auto const old = strangers_.add(id, address_of_peer(channel->peer())))
    make_room(*old);
  waiting_[id] = channel;
  secret_server(channel, secret_, limits_.handshake_s, std::move(on_close),
                [this, id, peer = channel->peer(),
                 entered = std::move(entered)](Result<PeerRole> role) {
                  strangers_.remove(id);
                  waiting_.erase(id);
                  if (role) return entered(*role);
                  // A client that connects and leaves may be a liveness probe.
                  if (on_refused_ && role.error().code != Errc::unavailable)
                    on_refused_(peer, role.error());
                });
}

void SecretDoor::make_room(Strangers::Id leaver) {
  auto const channel = waiting_[leaver].lock();
  waiting_.erase(leaver);
  if (!channel) return;
  if (on_refused_)
    on_refused_(channel->peer(),
                {Errc::unavailable,
                 "too many connections that have not proved the secret"});
  channel->close();
}

void secret_connect(
    asio::io_context& io, std::string const& address, std::string const& secret,
    PeerRole const& self, double timeout_s, Channel::OnClose on_close,
    std::function<void(Result<std::shared_ptr<Channel>>)> done) {
  std::make_shared<SecretConnection>(io, address, secret, self, timeout_s,
                                     std::move(on_close), std::move(done))
      ->attempt();
}

}  // namespace gleaner::proto
