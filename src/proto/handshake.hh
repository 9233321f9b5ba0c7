// SPDX-License-Identifier: Apache-2.0
/// What the two handshakes share: one outcome, a deadline, small frames, clean
/// failure.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "proto/channel.hh"

namespace gleaner::proto {

/// Raised when a message changes its meaning; both sides must agree.  Between
/// gleanerd and its clients, and inside one training.
inline constexpr int daemon_protocol_version = 5;
inline constexpr int training_protocol_version = 7;

/// The text under `key`, "" when there is none.
inline std::string text_field(nlohmann::json const& message, char const* key) {
  auto const found = message.find(key);
  return found != message.end() && found->is_string()
             ? found->get<std::string>()
             : std::string();
}

/// Whether a peer's text is so many bytes in hex, as nonces and secrets are.
inline bool is_hex_of(std::string_view text, std::size_t bytes) {
  return text.size() == 2 * bytes &&
         text.find_first_not_of("0123456789abcdef") == text.npos;
}

/// Why the peer's challenge cannot be answered; "" when it can.
inline std::string version_refusal(nlohmann::json const& challenge,
                                   int version) {
  auto const found = challenge.find("version");
  if (found != challenge.end() && *found == version) return "";
  return "the peer speaks protocol version " +
         (found == challenge.end() ? std::string("?") : found->dump()) +
         ", this is version " + std::to_string(version) +
         " [install the same release of Gleaner on both nodes]";
}

/// A handshake under way on `channel`.  Holds itself through the channel's
/// callbacks until it ends.
template <class T>
class Handshake : public std::enable_shared_from_this<Handshake<T>> {
 public:
  using Done = std::function<void(Result<T>)>;

  static std::shared_ptr<Handshake> make(std::shared_ptr<Channel> channel,
                                         double timeout_s,
                                         Channel::OnClose on_close, Done done) {
    return std::shared_ptr<Handshake>(new Handshake(
        std::move(channel), timeout_s, std::move(on_close), std::move(done)));
  }

  void start(Channel::OnMessage on_message) {
    auto self = this->shared_from_this();
    // The channel's callbacks hold us, the timer does not: when the channel is
    // closed, nothing of a handshake is left to wait for its deadline.
    deadline_.expires_after(
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(
            std::chrono::duration<double>(timeout_s_)));
    deadline_.async_wait([weak = std::weak_ptr(self)](asio::error_code error) {
      auto const waiting = weak.lock();
      if (!error && waiting)
        waiting->fail(Errc::timed_out, "no handshake in time");
    });
    channel_->limit_frames(handshake_bytes_max);
    channel_->start(std::move(on_message), [self](Error const& error) {
      if (self->done_)
        self->fail(error.code, error.message);
      else if (self->on_close_)
        self->on_close_(error);
    });
  }

  void refuse(std::string const& why) { fail(Errc::denied, why); }

  template <class... Value>
  void accept(Value&&... value) {
    if (!done_) return;
    deadline_.cancel();
    channel_->on_message(nullptr);
    channel_->limit_frames(frame_bytes_max);
    std::exchange(done_, nullptr)(Result<T>(std::forward<Value>(value)...));
  }

 private:
  Handshake(std::shared_ptr<Channel> channel, double timeout_s,
            Channel::OnClose on_close, Done done)
      : channel_(std::move(channel)),
        deadline_(channel_->executor()),
        timeout_s_(timeout_s),
        on_close_(std::move(on_close)),
        done_(std::move(done)) {}

  void fail(Errc code, std::string const& why) {
    if (!done_) return;
    deadline_.cancel();
    channel_->close();
    std::exchange(done_, nullptr)(Error{
        code, "handshake with " + channel_->peer() + " failed (" + why + ")"});
  }

  std::shared_ptr<Channel> channel_;
  asio::steady_timer deadline_;
  double timeout_s_;
  Channel::OnClose on_close_;
  Done done_;
};

}  // namespace gleaner::proto
