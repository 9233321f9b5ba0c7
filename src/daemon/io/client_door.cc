// SPDX-License-Identifier: Apache-2.0
/// Connections of coordinators and of `gleaner status`.
#include "daemon/io/client_door.hh"

#include <unistd.h>

#include <algorithm>

#include "daemon/io/descriptor_budget.hh"
#include "proto/munge_handshake.hh"

namespace gleaner::daemon {
namespace {

constexpr double handshake_s = 5;
constexpr double silence_s = 60;  ///< coordinators report every second
constexpr std::size_t strangers_max = 128;
constexpr int links_per_user_max = 256;

// What one user may have.  A coordinator reports once a second, and a few times
// per node it gets or loses; all its nodes may come at once, and after a
// restart of gleanerd all of a user's coordinators register together.  At these
// rates one user takes a tenth of the thread at most.
constexpr TokenBuckets::Rate messages_of_user{16384, 300};
constexpr TokenBuckets::Rate bytes_of_user{64e6, 2e6};
constexpr TokenBuckets::Rate answers_of_user{60, 5};

/// Longest message of a client: a report of 50,000 nodes fits.
constexpr std::uint32_t client_frame_bytes_max = 1u << 20;

}  // namespace

ClientDoor::ClientDoor(asio::io_context& io, Config const& config,
                       Clock const& clock, Handlers handlers,
                       std::size_t links_most)
    : munge_socket_(config.munge_socket),
      clock_(clock),
      handlers_(std::move(handlers)),
      links_max_(links_most),
      munge_(io, strangers_max, 1),
      strangers_(strangers_max),
      messages_(messages_of_user),
      bytes_(bytes_of_user),
      answers_(answers_of_user) {}

ClientDoor::~ClientDoor() {
  for (auto& [id, link] : links_) link.channel->close();
}

Result<std::unique_ptr<ClientDoor>> ClientDoor::open(asio::io_context& io,
                                                     Config const& config,
                                                     Clock const& clock,
                                                     Handlers handlers) {
  auto const links_most = raise_descriptor_limit();
  if (!links_most) return links_most.error();
  std::unique_ptr<ClientDoor> door(
      new ClientDoor(io, config, clock, std::move(handlers), *links_most));
  auto listener = proto::Listener::tcp(
      io, config.listen,
      [self = door.get()](auto channel) { self->on_accept(channel); });
  if (!listener) return listener.error();
  door->listener_ = std::move(*listener);
  return door;
}

void ClientDoor::on_accept(std::shared_ptr<proto::Channel> channel) {
  auto const id = ++last_;
  links_[id].channel = channel;
  if (links_.size() > links_max_) return refuse(id, "too many connections");
  if (auto const old =
          strangers_.add(id, proto::address_of_peer(channel->peer())))
    refuse(*old, "too many connections that have not proved who they are");
  proto::munge_server(
      channel, munge_socket_, handshake_s,
      [this](std::function<proto::Finish()> work) {
        return munge_.submit(SlurmWorker::Urgency::in_turn, std::move(work));
      },
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
  strangers_.remove(id);
  if (is_crowded(uid)) return refuse(id, "too many connections of this user");
  auto& link = found->second;
  link.uid = uid;
  link.channel->limit_frames(client_frame_bytes_max);
  link.channel->set_silence_limit(silence_s);
  link.channel->on_message(
      [this, id](nlohmann::json const& json) { on_json(id, json); });
}

bool ClientDoor::is_crowded(Uid uid) const {
  return std::count_if(links_.begin(), links_.end(), [&](auto& entry) {
           return entry.second.uid == uid && !is_trusted(uid);
         }) >= links_per_user_max;
}

/// Root and SlurmUser may do worse than to ask often.
bool ClientDoor::is_trusted(Uid uid) {
  return uid == 0 || uid == static_cast<Uid>(::geteuid());
}

/// Why this user has had enough; "": he has not.
std::string ClientDoor::overspent(Uid uid, std::size_t bytes) {
  if (is_trusted(uid)) return "";
  auto const now_s = clock_.monotonic_s();
  if (!messages_.take(uid, 1, now_s)) return "too many messages of this user";
  if (!bytes_.take(uid, static_cast<double>(bytes), now_s))
    return "too many bytes of this user";
  return "";
}

void ClientDoor::on_json(LinkId id, nlohmann::json const& json) {
  auto& link = links_.at(id);
  auto const why = overspent(*link.uid, link.channel->message_bytes());
  if (!why.empty()) return refuse(id, why);
  if (!link.coordinator)
    if (auto const request = msg::parse_from_client(json))
      return on_client(id, *request);
  auto const message = msg::parse_from_coordinator(json);
  if (!message) return refuse(id, message.error().message);
  link.coordinator = true;
  handlers_.on_message(id, *link.uid, *message);
}

/// A question or an order of a person or of a script.
void ClientDoor::on_client(LinkId id, msg::FromClient const& request) {
  auto const& link = links_.at(id);
  auto const now_s = clock_.monotonic_s();
  if (!is_trusted(*link.uid) && !answers_.take(*link.uid, 1, now_s))
    return refuse(id, "too many questions of this user");
  if (auto const* order = std::get_if<msg::AdminRequest>(&request))
    return link.channel->send(
        msg::to_json(msg::ToClient(handlers_.admin(*link.uid, *order))));
  if (auto const* question = std::get_if<msg::ProfileRequest>(&request))
    return link.channel->send(
        msg::to_json(msg::ToClient(handlers_.profile(*question))));
  link.channel->send_text(status_.text(now_s, handlers_.status));
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
  strangers_.remove(id);
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
  strangers_.remove(id);
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
  strangers_.remove(id);
}

}  // namespace gleaner::daemon
