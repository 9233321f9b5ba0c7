// SPDX-License-Identifier: Apache-2.0
/// The coordinator's connection to gleanerd, kept up for as long as it takes.
#include "runtime/coordinator/daemon_link.hh"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/log.hh"
#include "proto/munge_handshake.hh"

namespace gleaner::coordinator {
namespace {

constexpr double timeout_s = 5;
constexpr double pause_s_min = 0.1;
constexpr double pause_s_max = 5;

}  // namespace

DaemonLink::DaemonLink(asio::io_context& io, Options options,
                       MakeRegister make_register, OnMessage on_message)
    : io_(io),
      retry_(io),
      options_(std::move(options)),
      make_register_(std::move(make_register)),
      on_message_(std::move(on_message)),
      pause_s_(pause_s_min) {}

DaemonLink::~DaemonLink() { close(); }

void DaemonLink::start() { connect(); }

void DaemonLink::send(msg::FromCoordinator const& message) {
  if (channel_) channel_->send(to_json(message));
}

void DaemonLink::close() {
  closed_ = true;
  retry_.cancel();
  if (auto const channel = std::exchange(channel_, nullptr)) channel->close();
}

void DaemonLink::connect() {
  if (closed_) return;
  proto::connect_tcp(io_, options_.address, timeout_s,
                     [this, alive = std::weak_ptr(alive_)](auto channel) {
                       if (!alive.lock() || closed_) {
                         if (channel) (*channel)->close();
                         return;
                       }
                       if (!channel) return lost(channel.error());
                       authenticate(*channel);
                     });
}

void DaemonLink::authenticate(std::shared_ptr<proto::Channel> channel) {
  proto::munge_client(
      channel, options_.munge_socket, options_.trusted, timeout_s,
      [this](std::function<proto::Finish()> work) {
        asio::post(munge_, [&io = io_, work = std::move(work)] {
          if (auto finish = work()) asio::post(io, std::move(finish));
        });
        return true;
      },
      [this, alive = std::weak_ptr(alive_)](Error const& error) {
        if (!alive.lock()) return;
        channel_ = nullptr;
        lost(error);
      },
      [this, alive = std::weak_ptr(alive_), channel](Result<void> accepted) {
        if (!alive.lock() || closed_) return channel->close();
        if (!accepted) return lost(accepted.error());
        registered(channel);
      });
}

void DaemonLink::registered(std::shared_ptr<proto::Channel> channel) {
  channel_ = std::move(channel);
  pause_s_ = pause_s_min;
  if (std::exchange(told_, std::nullopt))
    log_to_stderr(LogLevel::info, LogLine("gleanerd_back"));
  channel_->on_message([this, alive = std::weak_ptr(alive_)](auto const& json) {
    if (!alive.lock()) return;
    auto const message = msg::parse_to_coordinator(json);
    if (message) return on_message_(*message);
    log_to_stderr(LogLevel::error, LogLine("gleanerd_message_unreadable")
                                       .kv("why", message.error().message));
  });
  send(make_register_());
}

void DaemonLink::lost(Error const& error) {
  if (closed_) return;
  // Once for each kind: that nobody answers, or that somebody else does.
  if (std::exchange(told_, error.code) != error.code)
    log_to_stderr(LogLevel::warn, LogLine("gleanerd_away")
                                      .kv("address", options_.address)
                                      .kv("why", error.message));
  retry_.expires_after(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(
          std::chrono::duration<double>(pause_s_)));
  pause_s_ = std::min(2 * pause_s_, pause_s_max);
  retry_.async_wait([this, alive = std::weak_ptr(alive_)](auto error) {
    if (alive.lock() && !error) connect();
  });
}

}  // namespace gleaner::coordinator
