// SPDX-License-Identifier: Apache-2.0
/// A program without a coordinator: the only member of every generation.
#include <limits>

#include "core/clock.hh"
#include "runtime/generation/membership.hh"
#include "runtime/member/link.hh"

namespace gleaner::member {
namespace {

constexpr msg::MemberId only = 1;
constexpr std::chrono::milliseconds tick{200};

generation::membership::Options options() {
  generation::membership::Options options;
  options.checkpoint_interval_s = 0;  // nobody would resume from it
  options.batch_s = 0;                // nobody else comes
  return options;
}

class AloneLink final : public Link {
 public:
  explicit AloneLink(asio::io_context& io)
      : io_(io), timer_(io), membership_(options()) {}

  /// Nobody else could wait for it: no heartbeats.
  void start(msg::MemberHello const& hello, Report, OnMessage on_message,
             OnLost on_lost) override {
    on_message_ = std::move(on_message);
    on_lost_ = std::move(on_lost);
    on_message_(msg::Welcome{only, 0, 0});
    carry_out(membership_.add_members(now(), "here", {only}));
    auto self = hello;
    self.member = only;
    send(self);
    wait();
  }

  void send(msg::FromMember const& message) override {
    // Nobody writes an event log.
    if (std::holds_alternative<msg::LogValues>(message)) return;
    carry_out(membership_.on_message(now(), only, message));
  }

  void close() override {
    closed_ = true;
    timer_.cancel();
  }

 private:
  double now() const { return clock_.monotonic_s(); }

  void wait() {
    timer_.expires_after(tick);
    timer_.async_wait([this](asio::error_code error) {
      if (error || closed_) return;
      carry_out(membership_.tick(now()));
      wait();
    });
  }

  void carry_out(generation::membership::Orders const& orders) {
    for (auto const& order : orders) {
      if (auto const* send = std::get_if<generation::membership::Send>(&order))
        deliver(*send->message);
      else if (auto const* kill =
                   std::get_if<generation::membership::Kill>(&order))
        fail(kill->why);
    }
  }

  /// Not inside the call that caused it, as with a real coordinator.
  void deliver(msg::ToMember const& message) {
    asio::post(io_, [this, message] {
      if (!closed_) on_message_(message);
    });
  }
  void fail(std::string const& why) {
    asio::post(io_, [this, why] {
      if (!closed_) on_lost_({Errc::unavailable, why});
    });
  }

  asio::io_context& io_;
  asio::steady_timer timer_;
  SystemClock clock_;
  generation::Membership membership_;
  OnMessage on_message_;
  OnLost on_lost_;
  bool closed_ = false;
};

}  // namespace

std::unique_ptr<Link> make_alone_link(asio::io_context& io) {
  return std::make_unique<AloneLink>(io);
}

}  // namespace gleaner::member
