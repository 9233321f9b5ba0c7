// SPDX-License-Identifier: Apache-2.0
/// A member's connection to its coordinator.
#include <utility>

#include "proto/secret_door.hh"
#include "runtime/member/link.hh"

namespace gleaner::member {
namespace {

constexpr double connect_s = 20;

/// A message of them stays far below what a frame may hold.
constexpr std::size_t values_max = 10'000;

class RemoteLink final : public Link {
 public:
  RemoteLink(asio::io_context& io, std::string address, std::string secret)
      : io_(io),
        address_(std::move(address)),
        secret_(std::move(secret)),
        timer_(io) {}

  void start(msg::MemberHello const& hello, Report report, OnMessage on_message,
             OnLost on_lost) override {
    hello_ = hello;
    report_ = std::move(report);
    on_message_ = std::move(on_message);
    on_lost_ = std::move(on_lost);
    proto::secret_connect(
        io_, address_, secret_, {"member", std::to_string(hello_.member)},
        connect_s, [this](Error const& why) { lost(why); },
        [this](Result<std::shared_ptr<proto::Channel>> const& channel) {
          if (!channel) return lost(channel.error());
          connected(*channel);
        });
  }

  void send(msg::FromMember const& message) override {
    if (auto const* logged = std::get_if<msg::LogValues>(&message))
      return keep(*logged);
    // Steps are reported one by one; everything else comes after the values
    // of what was done before.
    if (!std::holds_alternative<msg::Stable>(message)) send_values();
    send_now(message);
  }

  void close() override {
    send_values();
    closed_ = true;
    timer_.cancel();
    if (channel_) channel_->close();
  }

 private:
  void lost(Error const& why) {
    timer_.cancel();
    if (!closed_) on_lost_({why.code, address_ + ": " + why.message});
  }

  void connected(std::shared_ptr<proto::Channel> const& channel) {
    channel_ = channel;
    if (closed_) return channel_->close();
    channel_->on_message(
        [this](nlohmann::json const& json) { received(json); });
    channel_->send(msg::to_json(msg::FromMember(hello_)));
  }

  void send_now(msg::FromMember const& message) {
    if (channel_) channel_->send(msg::to_json(message));
  }

  /// Values wait for the next heartbeat: a coordinator of a thousand members
  /// could not read a message of each in each step.  The last ones do not, as
  /// the program may end at any moment.
  void keep(msg::LogValues const& logged) {
    auto& values = values_.values;
    values.insert(values.end(), logged.values.begin(), logged.values.end());
    if (ends_ || values.size() >= values_max) send_values();
  }

  void send_values() {
    if (values_.values.empty()) return;
    send_now(std::exchange(values_, {}));
  }

  void received(nlohmann::json const& json) {
    auto message = msg::parse_to_member(json);
    if (!message) {
      channel_->close();
      return lost(message.error());
    }
    if (auto const* welcome = std::get_if<msg::Welcome>(&*message)) {
      channel_->set_silence_limit(welcome->failure_timeout_s);
      interval_ = std::chrono::duration_cast<std::chrono::milliseconds>(
          std::chrono::duration<double>(welcome->heartbeat_s));
      beat();
    }
    ends_ = ends_ || std::holds_alternative<msg::Finish>(*message) ||
            std::holds_alternative<msg::Release>(*message);
    on_message_(*message);
  }

  /// From a thread that no user code can hold up: a member that computes for
  /// long is alive.  The step that it says may have begun just now, and values
  /// of those before are posted: they go first.
  void beat() {
    if (closed_ || interval_.count() <= 0) return;
    asio::post(io_, [this, alive = report_()] {
      if (!closed_) send(alive);
    });
    timer_.expires_after(interval_);
    timer_.async_wait([this](asio::error_code error) {
      if (!error) beat();
    });
  }

  asio::io_context& io_;
  std::string const address_;
  std::string const secret_;
  asio::steady_timer timer_;
  std::chrono::milliseconds interval_{0};
  msg::MemberHello hello_;
  Report report_;
  OnMessage on_message_;
  OnLost on_lost_;
  std::shared_ptr<proto::Channel> channel_;
  msg::LogValues values_;  ///< not sent yet
  bool ends_ = false;      ///< it was told to
  bool closed_ = false;
};

}  // namespace

std::unique_ptr<Link> make_remote_link(asio::io_context& io,
                                       std::string address,
                                       std::string secret) {
  return std::make_unique<RemoteLink>(io, std::move(address),
                                      std::move(secret));
}

}  // namespace gleaner::member
