// SPDX-License-Identifier: Apache-2.0
#include "runtime/member/data_service.hh"

#include <algorithm>
#include <optional>

namespace gleaner::member {
namespace {

constexpr std::size_t waiting_max = 4096;  // of strangers there are none

}  // namespace

Result<std::string> DataService::listen(std::string const& address,
                                        OnReduction on_reduction) {
  on_reduction_ = std::move(on_reduction);
  bool const v6 = address.find(':') != std::string::npos;
  auto const host = v6 ? '[' + address + ']' : address;
  auto made = proto::Listener::tcp(
      io_, host + ":0",
      [this](std::shared_ptr<proto::Channel> c) { accepted(c); });
  if (!made) return made.error();
  listener_ = std::move(*made);
  return host + ':' + std::to_string(listener_->port());
}

void DataService::close() { listener_.reset(); }

void DataService::accepted(std::shared_ptr<proto::Channel> channel) {
  door_.knock(channel, nullptr, [this, channel](proto::PeerRole const&) {
    channel->set_silence_limit(handshake_s);
    // The channel holds its handler: no cycle.
    channel->on_message([this, &c = *channel](nlohmann::json const& json) {
      requested(c, json);
    });
  });
}

void DataService::requested(proto::Channel& channel,
                            nlohmann::json const& json) {
  auto request = msg::parse_from_peer(json);
  if (!request) {
    channel.send(
        msg::to_json(msg::ToPeer(msg::Refused{request.error().message})));
    return channel.close();
  }
  auto released = channel.release();
  if (!released) return channel.close();
  os::Fd fd(released->fd);
  auto const& keys = released->keys;
  if (auto const* reduction = std::get_if<msg::PullReduction>(&*request))
    on_reduction_(*reduction,
                  Connection(transfers_, permit(reduction->generation),
                             std::move(fd), keys));
  else if (auto const* state = std::get_if<msg::PullState>(&*request))
    keep(state->member, *request,
         Connection(transfers_, permit(state->generation), std::move(fd), keys),
         state->generation);
  else if (auto const* portion = std::get_if<msg::PullPortion>(&*request))
    keep(portion->member, *request,
         Connection(transfers_, permit(portion->generation), std::move(fd),
                    keys),
         portion->generation);
}

void DataService::keep(msg::MemberId member, msg::FromPeer const& request,
                       Connection connection, msg::Generation generation) {
  std::lock_guard lock(mutex_);
  auto& of_generation = waiting_[generation];
  if (of_generation.size() >= waiting_max) return;
  of_generation.erase(member);  // it asks again
  of_generation.emplace(member, Joiner{request, std::move(connection)});
  changed_.notify_all();
}

std::vector<DataService::Joiner> DataService::wait_for(
    Permit const& permit, std::vector<msg::MemberId> const& joiners) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    auto const& here = waiting_[permit.generation];
    return !transfers_.valid(permit) ||
           std::all_of(joiners.begin(), joiners.end(),
                       [&](auto id) { return here.count(id) != 0; });
  });
  std::vector<Joiner> taken;
  for (auto& [id, joiner] : waiting_[permit.generation])
    if (std::count(joiners.begin(), joiners.end(), id))
      taken.push_back(std::move(joiner));
  waiting_.erase(permit.generation);
  return taken;
}

/// A connection on its way; closed if nobody takes it.
struct DataService::Opening {
  std::optional<Result<void>> done;
  os::Fd fd;
  proto::SealKeys keys;
};

/// In the event loop.
void DataService::open(std::string const& address, double timeout_s,
                       std::shared_ptr<Opening> opening) {
  using Released = Result<proto::Channel::Released>;
  auto finish = [this, opening](Released const& opened) {
    std::lock_guard lock(mutex_);
    if (opened) {
      opening->fd = os::Fd(opened->fd);
      opening->keys = opened->keys;
    }
    opening->done = opened ? Result<void>() : Result<void>(opened.error());
    changed_.notify_all();
  };
  auto self = proto::PeerRole{"member", std::to_string(self_)};
  proto::secret_connect(
      io_, address, secret_, self, timeout_s, nullptr,
      [finish](Result<std::shared_ptr<proto::Channel>> const& channel) {
        finish(channel ? (*channel)->release() : Released(channel.error()));
      });
}

Result<DataService::Connection> DataService::ask(
    Permit const& permit, std::string const& data_address,
    msg::FromPeer const& request, double timeout_s) {
  auto const opening = std::make_shared<Opening>();
  asio::post(io_, [=, this] { open(data_address, timeout_s, opening); });
  auto failed = [&](Errc code, std::string const& why) {
    return Error{code, "no data connection to " + data_address + ": " + why};
  };
  os::Fd fd;
  {
    std::unique_lock lock(mutex_);
    // Name resolution has no time limit of its own.
    std::chrono::duration<double> const limit(2 * timeout_s + 1);
    bool const over = changed_.wait_for(lock, limit, [&] {
      return opening->done || !transfers_.valid(permit);
    });
    if (!over) return failed(Errc::timed_out, "no answer");
    if (!opening->done) return failed(Errc::unavailable, "given up");
    if (!*opening->done)
      return failed(opening->done->error().code,
                    opening->done->error().message);
    fd = std::move(opening->fd);
  }
  proto::FrameSeal seal(opening->keys.sent);
  Connection connection(transfers_, permit, std::move(fd), opening->keys);
  auto sent = state::send_request(connection.socket()->fd(),
                                  msg::to_json(request), seal);
  if (!sent) return sent.error();
  return Result<Connection>(std::move(connection));
}

void DataService::abort(msg::Generation generation) {
  transfers_.abort(generation);
  std::lock_guard lock(mutex_);
  waiting_.erase(generation);
  changed_.notify_all();
}

void DataService::abort_all() {
  transfers_.abort_all();
  std::lock_guard lock(mutex_);
  waiting_.clear();
  changed_.notify_all();
}

}  // namespace gleaner::member
