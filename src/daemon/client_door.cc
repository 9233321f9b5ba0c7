// SPDX-License-Identifier: Apache-2.0
/// Connections of coordinators and of `gleaner status`.
#include "daemon/client_door.hh"

#include <algorithm>

#include "proto/munge_handshake.hh"

namespace gleaner {
namespace {

constexpr double handshake_s = 5;
constexpr double silence_s = 60;  ///< coordinators report every second
constexpr std::size_t links_max = 4096;
constexpr int links_per_user_max = 256;
// A coordinator reports once a second, and a few times per node it gets or
// loses; all its nodes may come at once.
constexpr double messages_burst = 4096;
constexpr double messages_per_s = 20;

}  // namespace

ClientDoor::ClientDoor(Config const& config, Clock const& clock,
                       Handlers handlers)
    : munge_socket_(config.munge_socket),
      clock_(clock),
      handlers_(std::move(handlers)) {}

ClientDoor::~ClientDoor() {
  for (auto& [id, link] : links_) link.channel->close();
}

Result<std::unique_ptr<ClientDoor>> ClientDoor::open(asio::io_context& io,
                                                     Config const& config,
                                                     Clock const& clock,
                                                     Handlers handlers) {
  std::unique_ptr<ClientDoor> door(
      new ClientDoor(config, clock, std::move(handlers)));
  auto listener = Listener::tcp(
      io, config.listen,
      [self = door.get()](auto channel) { self->on_accept(channel); });
  if (!listener) return listener.error();
  door->listener_ = std::move(*listener);
  return door;
}

void ClientDoor::on_accept(std::shared_ptr<Channel> channel) {
  auto const id = ++last_;
  links_[id].channel = channel;
  if (links_.size() > links_max) return refuse(id, "too many connections");
  munge_server(
      channel, munge_socket_, handshake_s,
      [this, id](Error const& error) { on_closed(id, error); },
      [this, id](Result<Uid> uid) {
        if (uid) return on_identified(id, *uid);
        // Who connects and says nothing looks whether we are there.
        if (uid.error().code == Errc::unavailable) return close(id);
        refuse(id, uid.error().message);
      });
}

void ClientDoor::on_identified(LinkId id, Uid uid) {
  auto const found = links_.find(id);
  if (found == links_.end()) return;
  if (is_crowded(uid)) return refuse(id, "too many connections of this user");
  auto& link = found->second;
  link.uid = uid;
  link.budget = messages_burst;
  link.budget_s = clock_.monotonic_s();
  link.channel->set_silence_limit(silence_s);
  link.channel->on_message(
      [this, id](nlohmann::json const& json) { on_json(id, json); });
}

bool ClientDoor::is_crowded(Uid uid) const {
  return std::count_if(links_.begin(), links_.end(), [&](auto& entry) {
           return entry.second.uid == uid && uid != 0;
         }) >= links_per_user_max;
}

/// Each message may become a line and a row: no user may write without bound.
bool ClientDoor::spend(Link* link) const {
  auto const now_s = clock_.monotonic_s();
  link->budget = std::min(
      messages_burst, link->budget + (now_s - link->budget_s) * messages_per_s);
  link->budget_s = now_s;
  return --link->budget > 0;
}

void ClientDoor::on_json(LinkId id, nlohmann::json const& json) {
  auto& link = links_.at(id);
  if (!spend(&link)) return refuse(id, "too many messages");
  if (!link.coordinator && msg::parse_from_client(json))
    return link.channel->send(msg::to_json(msg::ToClient(handlers_.status())));
  auto const message = msg::parse_from_coordinator(json);
  if (!message) return refuse(id, message.error().message);
  link.coordinator = true;
  handlers_.on_message(id, *link.uid, *message);
}

LogLine ClientDoor::line_of(char const* event, Link const& link,
                            std::string const& why) {
  LogLine line(event);
  line.kv("peer", link.channel->peer());
  if (link.uid) line.kv("uid", *link.uid);
  return line.kv("why", why);
}

/// Cut it off, and say why once in a while.
void ClientDoor::refuse(LinkId id, std::string const& why) {
  auto const found = links_.find(id);
  if (found == links_.end()) return;
  auto const link = found->second;
  auto const kind = link.uid ? std::to_string(*link.uid) : "unidentified";
  throttle_.log(LogLevel::warn, kind, line_of("connection_refused", link, why),
                clock_.monotonic_s());
  close(id);
  if (link.coordinator) handlers_.on_lost(id);
}

void ClientDoor::on_closed(LinkId id, Error const& error) {
  auto const found = links_.find(id);
  if (found == links_.end()) return;
  bool const coordinator = found->second.coordinator;
  log_to_stderr(coordinator ? LogLevel::info : LogLevel::debug,
                line_of("connection_closed", found->second, error.message));
  links_.erase(found);
  if (coordinator) handlers_.on_lost(id);
}

void ClientDoor::send(LinkId id, msg::ToCoordinator const& message) {
  auto const found = links_.find(id);
  if (found != links_.end()) found->second.channel->send(msg::to_json(message));
}

void ClientDoor::close(LinkId id) {
  auto const found = links_.find(id);
  if (found == links_.end()) return;
  found->second.channel->close();
  links_.erase(found);
}

}  // namespace gleaner
