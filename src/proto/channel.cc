// SPDX-License-Identifier: Apache-2.0
/// A connection that carries messages, on Asio.
#include "proto/channel.hh"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <cstring>
#include <deque>
#include <optional>

#include "proto/secret.hh"

namespace gleaner::proto {
namespace {

constexpr std::size_t read_bytes = 1u << 16;
constexpr std::size_t queue_bytes_max = 4ull * frame_bytes_max;
constexpr std::chrono::seconds flush_time{1};

std::chrono::steady_clock::duration seconds(double s) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(s));
}

/// SO_PEERCRED's uid, -1 on anything but a UNIX socket.
int uid_of_peer(Channel::Socket& socket) {
  asio::error_code ignored;
  if (socket.local_endpoint(ignored).protocol().family() != AF_UNIX) return -1;
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED,
                   &credentials, &size) != 0)
    return -1;
  return static_cast<int>(credentials.uid);
}

std::string name_of_peer(Channel::Socket& socket, int uid) {
  if (uid >= 0) return "uid " + std::to_string(uid);
  asio::error_code error;
  auto const remote = socket.remote_endpoint(error);
  if (error) return "unknown";
  asio::ip::tcp::endpoint tcp;
  if (remote.size() > tcp.capacity()) return "unknown";
  std::memcpy(tcp.data(), remote.data(), remote.size());
  tcp.resize(remote.size());
  return tcp.address().to_string() + ':' + std::to_string(tcp.port());
}

}  // namespace

struct Channel::Impl {
  explicit Impl(Socket s)
      : socket(std::move(s)), silence(socket.get_executor()) {}

  Socket socket;
  asio::steady_timer silence;
  double silence_s = 0;
  FrameReader reader;
  std::optional<FrameSeal> seal;  ///< of what is sent
  SealKeys keys;
  std::array<char, read_bytes> input{};
  std::deque<std::string> output;
  std::size_t output_bytes = 0;
  OnMessage on_message;
  OnClose on_close;
  std::string peer;
  int peer_uid = -1;
  bool closed = false;

  void read_some(std::shared_ptr<Channel> self);
  void deliver(std::shared_ptr<Channel> const& self);
  void write_next(std::shared_ptr<Channel> self);
  void watch_silence(std::weak_ptr<Channel> self);
  void fail(Error error);
  void drop();
};

Channel::Channel(Socket socket)
    : impl_(std::make_unique<Impl>(std::move(socket))) {
  impl_->peer_uid = uid_of_peer(impl_->socket);
  impl_->peer = name_of_peer(impl_->socket, impl_->peer_uid);
  if (impl_->peer_uid < 0) {
    // Messages are small and urgent; heartbeats find silence, keepalive finds
    // a peer whose machine is gone while there is nothing to send.
    asio::error_code ignored;
    impl_->socket.set_option(asio::ip::tcp::no_delay(true), ignored);
    impl_->socket.set_option(asio::socket_base::keep_alive(true), ignored);
  }
}

Channel::~Channel() = default;

std::shared_ptr<Channel> Channel::make(Socket socket) {
  return std::shared_ptr<Channel>(new Channel(std::move(socket)));
}

void Channel::start(OnMessage on_message, OnClose on_close) {
  impl_->on_message = std::move(on_message);
  impl_->on_close = std::move(on_close);
  impl_->read_some(shared_from_this());
}

void Channel::on_message(OnMessage on_message) {
  impl_->on_message = std::move(on_message);
}

void Channel::send(nlohmann::json const& json) {
  if (!impl_->closed) send_text(json_text(json));
}

void Channel::send_text(std::string_view text) {
  if (impl_->closed) return;
  auto frame = frame_of(text);
  if (impl_->seal) frame += impl_->seal->next(text);
  impl_->output_bytes += frame.size();
  if (impl_->output_bytes > queue_bytes_max) {
    // Not from inside this call: the caller may hold what on_close changes.
    asio::post(impl_->socket.get_executor(), [self = shared_from_this()] {
      self->impl_->fail({Errc::unavailable, "the peer does not read"});
    });
    return;
  }
  impl_->output.push_back(std::move(frame));
  if (impl_->output.size() == 1) impl_->write_next(shared_from_this());
}

void Channel::limit_frames(std::uint32_t bytes_max) {
  impl_->reader.limit(bytes_max);
}

void Channel::seal(SealKeys keys) {
  impl_->keys = keys;
  impl_->seal.emplace(std::move(keys.sent));
  impl_->reader.expect_seals(
      seal_bytes, [theirs = FrameSeal(std::move(keys.received))](
                      std::string_view text, std::string_view seal) mutable {
        return equal_secret(theirs.next(text), seal);
      });
}

void Channel::set_silence_limit(double limit_s) {
  impl_->silence_s = limit_s;
  impl_->watch_silence(weak_from_this());
}

void Channel::close() {
  if (impl_->closed) return;
  impl_->closed = true;
  impl_->on_message = nullptr;
  impl_->on_close = nullptr;
  if (impl_->output.empty()) return impl_->drop();
  // A write is under way and holds us; it drops the socket after the last
  // frame.  A peer that does not read must not hold us longer than this.
  impl_->silence.expires_after(flush_time);
  impl_->silence.async_wait(
      [self = shared_from_this()](asio::error_code) { self->impl_->drop(); });
}

bool Channel::closed() const { return impl_->closed; }

Result<Channel::Released> Channel::release() {
  if (impl_->closed || !impl_->output.empty())
    return Error{Errc::unavailable, "the connection is closing"};
  if (!impl_->reader.empty())
    return Error{Errc::invalid_argument, "the peer spoke out of turn"};
  asio::error_code error;
  auto const fd = impl_->socket.release(error);
  impl_->drop();
  if (error) return Error{Errc::io, error.message()};
  auto const flags = ::fcntl(fd, F_GETFL);
  ::fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
  return Released{fd, std::move(impl_->keys)};
}

std::size_t Channel::message_bytes() const {
  return impl_->reader.message_bytes();
}

std::string const& Channel::peer() const { return impl_->peer; }
Channel::Socket::executor_type Channel::executor() {
  return impl_->socket.get_executor();
}
int Channel::peer_uid() const { return impl_->peer_uid; }

void Channel::Impl::read_some(std::shared_ptr<Channel> self) {
  socket.async_read_some(
      asio::buffer(input),
      [this, self = std::move(self)](asio::error_code error, std::size_t n) {
        if (closed) return;
        if (error)
          return fail({Errc::unavailable, error == asio::error::eof
                                              ? "closed by the peer"
                                              : error.message()});
        reader.append({input.data(), n});
        watch_silence(self);
        deliver(self);
        if (!closed) read_some(self);
      });
}

void Channel::Impl::deliver(std::shared_ptr<Channel> const& self) {
  (void)self;  // keeps us alive while handlers run
  while (!closed) {
    auto next = reader.next();
    if (!next) return fail(next.error());
    if (!*next) return;
    // A copy: the handler may replace itself.
    if (auto const handler = on_message) handler(**next);
  }
}

void Channel::Impl::write_next(std::shared_ptr<Channel> self) {
  asio::async_write(
      socket, asio::buffer(output.front()),
      [this, self = std::move(self)](asio::error_code error, std::size_t n) {
        if (error)
          return closed ? drop() : fail({Errc::unavailable, error.message()});
        output_bytes -= n;
        output.pop_front();
        if (!output.empty())
          write_next(self);
        else if (closed)
          drop();
      });
}

void Channel::Impl::watch_silence(std::weak_ptr<Channel> self) {
  if (silence_s <= 0 || closed) return;
  silence.expires_after(seconds(silence_s));
  silence.async_wait([this, self](asio::error_code error) {
    auto const alive = self.lock();
    if (error || !alive || closed) return;
    fail({Errc::timed_out,
          "nothing heard for " + std::to_string(silence_s) + " s"});
  });
}

void Channel::Impl::fail(Error error) {
  if (closed) return;
  auto const handler = std::move(on_close);
  drop();
  if (handler) handler(error);
}

void Channel::Impl::drop() {
  closed = true;
  on_message = nullptr;
  on_close = nullptr;
  asio::error_code ignored;
  silence.cancel();
  socket.close(ignored);
}

}  // namespace gleaner::proto
