// SPDX-License-Identifier: Apache-2.0
/// The plugins' connections and datagrams.
#include "daemon/io/plugin_door.hh"

#include <sys/stat.h>
#include <unistd.h>

#include "proto/snapshot_change.hh"

namespace gleaner::daemon {
namespace {

using asio::local::datagram_protocol;

/// Nothing when it is no hint.
std::optional<slurm::ScanPacer::Cause> read_hint(std::string_view text) {
  auto const json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  auto const type = json.find("type");
  if (type == json.end()) return std::nullopt;
  if (*type == "training") return slurm::ScanPacer::Cause::training;
  if (*type == "arrival" || *type == "ended")
    return slurm::ScanPacer::Cause::rigid_job;
  return std::nullopt;
}

}  // namespace

PluginDoor::PluginDoor(asio::io_context& io, Clock const& clock,
                       Handlers handlers)
    : clock_(clock), handlers_(std::move(handlers)), hints_(io) {}

Result<std::unique_ptr<PluginDoor>> PluginDoor::open(asio::io_context& io,
                                                     Config const& config,
                                                     Clock const& clock,
                                                     Handlers handlers) {
  std::unique_ptr<PluginDoor> door(
      new PluginDoor(io, clock, std::move(handlers)));
  auto listener = proto::Listener::unix_socket(
      io, config.run_dir + "/gleanerd.sock",
      [self = door.get()](auto channel) { self->on_accept(channel); });
  if (!listener) return listener.error();
  door->listener_ = std::move(*listener);
  if (auto done = door->bind_hints(config.run_dir + "/hint.sock"); !done)
    return done.error();
  door->receive_hints();
  return door;
}

Result<void> PluginDoor::bind_hints(std::string const& path) {
  ::unlink(path.c_str());
  asio::error_code error;
  hints_.open({}, error);
  if (!error) hints_.bind(datagram_protocol::endpoint(path), error);
  if (!error && ::chmod(path.c_str(), 0600) != 0)
    error = asio::error_code(errno, asio::system_category());
  if (error)
    return Error{Errc::io,
                 "cannot bind " + path + " (" + error.message() + ")"};
  return {};
}

void PluginDoor::receive_hints() {
  hints_.async_receive(
      asio::buffer(hint_), [this](asio::error_code error, std::size_t n) {
        if (error == asio::error::operation_aborted) return;
        auto const cause = error ? std::nullopt : read_hint({hint_.data(), n});
        if (cause)
          handlers_.on_hint(*cause);
        else
          throttle_.log(LogLevel::warn, "hint",
                        LogLine("hint_unreadable").kv("bytes", n),
                        clock_.monotonic_s());
        receive_hints();
      });
}

void PluginDoor::on_accept(std::shared_ptr<proto::Channel> channel) {
  auto const uid = channel->peer_uid();
  if (uid != 0 && uid != static_cast<int>(::geteuid())) {
    throttle_.log(LogLevel::warn, "peer",
                  LogLine("plugin_refused")
                      .kv("peer", channel->peer())
                      .kv("why", "only SlurmUser and root may connect"),
                  clock_.monotonic_s());
    return channel->close();
  }
  channels_.insert(channel);
  std::weak_ptr const weak = channel;
  channel->start(
      [this, weak](nlohmann::json const& json) {
        if (auto const self = weak.lock()) on_message(self, json);
      },
      [this, weak](Error const& error) {
        auto const self = weak.lock();
        if (!self) return;
        throttle_.log(LogLevel::info, "closed",
                      LogLine("plugin_disconnected")
                          .kv("peer", self->peer())
                          .kv("why", error.message),
                      clock_.monotonic_s());
        leave(self);
      });
}

void PluginDoor::on_message(std::shared_ptr<proto::Channel> const& channel,
                            nlohmann::json const& json) {
  auto message = msg::parse_from_plugin(json);
  if (!message) return close(channel, message.error());
  if (auto const* hello = std::get_if<msg::PluginHello>(&*message))
    return on_plugin(channel, *hello);
  if (channel == scavenger_) on_holes(channel, std::move(*message));
}

void PluginDoor::on_holes(std::shared_ptr<proto::Channel> const& channel,
                          msg::FromPlugin message) {
  if (auto* holes = std::get_if<msg::Holes>(&message)) {
    snapshot_ = std::move(holes->snapshot);
  } else if (auto* change = std::get_if<msg::HolesSince>(&message)) {
    auto next = snapshot_ ? proto::apply_change(*change, *snapshot_)
                          : Error{Errc::invalid_argument,
                                  "HolesSince: there were no Holes before"};
    if (!next) return close(channel, next.error());
    snapshot_ = std::move(*next);
  }
  handlers_.on_snapshot(*snapshot_);
}

void PluginDoor::close(std::shared_ptr<proto::Channel> const& channel,
                       Error const& why) {
  throttle_.log(LogLevel::warn, "message",
                LogLine("message_unreadable")
                    .kv("peer", channel->peer())
                    .kv("why", why.message),
                clock_.monotonic_s());
  channel->close();
  leave(channel);
}

/// After a restart of slurmctld the new one may come before the old is gone.
void PluginDoor::on_plugin(std::shared_ptr<proto::Channel> const& channel,
                           msg::PluginHello const& hello) {
  log_to_stderr(LogLevel::info, LogLine("plugin_connected")
                                    .kv("plugin", hello.plugin)
                                    .kv("version", hello.version));
  scavenger_ = channel;
  snapshot_.reset();
  looks_at_queue_ = hello.looks_at_queue;
  handlers_.on_scavenger(hello);
  look_again();
}

void PluginDoor::leave(std::shared_ptr<proto::Channel> const& channel) {
  channels_.erase(channel);
  if (channel != scavenger_) return;
  scavenger_ = nullptr;
  looks_at_queue_ = false;
  handlers_.on_scavenger(std::nullopt);
}

void PluginDoor::look_again() {
  if (scavenger_) scavenger_->send(msg::to_json(msg::ToPlugin(msg::ScanNow{})));
}

void PluginDoor::look_at_queue() {
  if (looks_at_queue_)
    scavenger_->send(msg::to_json(msg::ToPlugin(msg::LookAtQueue{})));
}

}  // namespace gleaner::daemon
