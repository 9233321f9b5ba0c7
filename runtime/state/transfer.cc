// SPDX-License-Identifier: Apache-2.0
#include "runtime/state/transfer.hh"

#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "proto/frame.hh"
#include "runtime/os/tcp_silence.hh"

namespace gleaner::state {
namespace {

constexpr std::size_t turn_bytes_max = 1 << 20;

Error lost(char const* what) {
  if (errno == EBADMSG)
    return {Errc::denied, std::string("transfer ended while ") + what +
                              ": this is not what the peer sent (its seal is "
                              "wrong)"};
  return {Errc::unavailable,
          std::string("transfer ended while ") + what + ": " +
              (errno == 0 ? "closed by the peer" : std::strerror(errno))};
}

/// Where a stream is: spans[span] from byte `at`.
struct Progress {
  std::size_t span = 0;
  std::size_t at = 0;
  std::size_t moved = 0;  ///< bytes of all spans
  bool over = false;
};

void skip_empty(Stream const& stream, Progress& progress) {
  while (progress.span < stream.spans.size() &&
         progress.at == stream.spans[progress.span].bytes) {
    ++progress.span;
    progress.at = 0;
  }
  // What was sent has to go out, too.
  progress.over = progress.span == stream.spans.size() &&
                  stream.direction == Stream::Direction::receive;
}

/// Whether the next span is there to be sent.
bool can_move(Stream const& stream, Progress const& progress,
              std::vector<Progress> const& all) {
  if (stream.needs.empty() || progress.span == stream.spans.size()) return true;
  auto const& need = stream.needs[progress.span];
  return all[need.stream].moved >= need.bytes;
}

void end(Stream& stream, Progress& progress, char const* what) {
  stream.done = lost(what);
  progress.over = true;
}

/// Send what was taken before; the stream is over when that was the last of
/// it.  False: it has to wait.
bool flush(Stream& stream, Progress& progress) {
  errno = 0;
  bool const waited = stream.socket->has_unsent();
  if (stream.socket->flush() == 0) {
    progress.over = progress.span == stream.spans.size();
    return waited || progress.over;
  }
  if (errno == EAGAIN) return false;
  end(stream, progress, "sending");
  return true;
}

/// Move what goes without waiting, but not so much that others starve.  False:
/// it has to wait.
bool advance(Stream& stream, Progress& progress,
             std::vector<Progress> const& all) {
  auto const sends = stream.direction == Stream::Direction::send;
  for (std::size_t turn = 0; !progress.over && turn < turn_bytes_max;) {
    if (progress.span == stream.spans.size() ||
        !can_move(stream, progress, all))
      return sends && flush(stream, progress);
    auto const& span = stream.spans[progress.span];
    auto* data = span.data + progress.at;
    auto const bytes = std::min(span.bytes - progress.at, turn_bytes_max);
    errno = 0;
    auto const n = sends ? stream.socket->send(data, bytes)
                         : stream.socket->receive(data, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
    if (n <= 0) {
      end(stream, progress, sends ? "sending" : "receiving");
      return true;
    }
    turn += std::size_t(n);
    progress.moved += std::size_t(n);
    progress.at += std::size_t(n);
    skip_empty(stream, progress);
  }
  return true;
}

/// What cannot move may never move again.  `wait_ms`: look again by then.
void look_for_silence(Stream& stream, Progress& progress, int& wait_ms) {
  if (stream.silence_s <= 0) return;
  if (os::is_silent(stream.socket->fd(), stream.silence_s)) {
    errno = ETIMEDOUT;
    return end(stream, progress, "waiting");
  }
  auto const often_ms = std::max(10, int(stream.silence_s * 1000 / 4));
  wait_ms = wait_ms < 0 ? often_ms : std::min(wait_ms, often_ms);
}

Result<void> send_all(SealedSocket& socket, std::string const& bytes) {
  std::vector<Stream> stream(1);
  // Only read from: the direction says so.
  stream[0] = {&socket,
               Stream::Direction::send,
               {{const_cast<char*>(bytes.data()), bytes.size()}},
               {}};
  move_all(stream);
  return stream[0].done;
}

Result<std::string> receive_exactly(SealedSocket& socket, std::size_t n,
                                    double silence_s) {
  std::string bytes(n, '\0');
  std::vector<Stream> stream(1);
  stream[0] = {&socket, Stream::Direction::receive, {{bytes.data(), n}}};
  stream[0].silence_s = silence_s;
  move_all(stream);
  if (!stream[0].done) return stream[0].done.error();
  return bytes;
}

}  // namespace

Transfers::Connection::Connection(Transfers& transfers, Permit const& permit,
                                  os::Fd fd, proto::SealKeys const& keys)
    : transfers_(&transfers),
      fd_(std::move(fd)),
      socket_(std::make_unique<SealedSocket>(fd_.get(), keys)) {
  std::lock_guard lock(transfers_->mutex_);
  transfers_->open_[fd_.get()] = permit.generation;
  silence_s_ = transfers_->silence_s_;
  if (silence_s_ > 0) os::keep_alive(fd_.get());
  if (!transfers_->valid_locked(permit)) ::shutdown(fd_.get(), SHUT_RDWR);
}

Transfers::Connection::Connection(Connection&& other) noexcept
    : transfers_(other.transfers_),
      fd_(std::move(other.fd_)),
      socket_(std::move(other.socket_)),
      silence_s_(other.silence_s_) {}

Transfers::Connection::~Connection() {
  if (!fd_) return;
  // Forgotten before it is closed: the number may be used again at once.
  std::lock_guard lock(transfers_->mutex_);
  transfers_->open_.erase(fd_.get());
  fd_ = os::Fd();
}

bool Transfers::valid_locked(Permit const& permit) const {
  return permit.epoch == epoch_ && aborted_.count(permit.generation) == 0;
}

bool Transfers::valid(Permit const& permit) {
  std::lock_guard lock(mutex_);
  return valid_locked(permit);
}

Transfers::Permit Transfers::permit(msg::Generation generation) {
  std::lock_guard lock(mutex_);
  return {generation, epoch_};
}

void Transfers::abort(msg::Generation generation) {
  std::lock_guard lock(mutex_);
  aborted_.insert(generation);
  for (auto const& [fd, of] : open_)
    if (of == generation) ::shutdown(fd, SHUT_RDWR);
}

void Transfers::abort_all() {
  std::lock_guard lock(mutex_);
  ++epoch_;
  for (auto const& [fd, of] : open_) ::shutdown(fd, SHUT_RDWR);
}

void Transfers::set_silence_limit(double seconds) {
  std::lock_guard lock(mutex_);
  silence_s_ = seconds;
}

void move_all(std::vector<Stream>& streams) {
  std::vector<Progress> progress(streams.size());
  for (std::size_t i = 0; i < streams.size(); ++i)
    skip_empty(streams[i], progress[i]);
  std::vector<pollfd> waiting;
  for (;;) {
    waiting.clear();
    bool moved = false, left = false, failed = false;
    int wait_ms = -1;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (progress[i].over) continue;
      auto& stream = streams[i];
      if (advance(stream, progress[i], progress)) {
        moved = true;
      } else if (can_move(stream, progress[i], progress) ||
                 stream.socket->has_unsent()) {
        auto const sends = stream.direction == Stream::Direction::send;
        short const events = sends ? POLLOUT : POLLIN;
        waiting.push_back({stream.socket->fd(), events, 0});
        look_for_silence(stream, progress[i], wait_ms);
      }
      left = left || !progress[i].over;
      failed = failed ||
               (!stream.done && stream.direction == Stream::Direction::receive);
    }
    if (!left) return;
    if (failed) break;
    if (!moved) ::poll(waiting.data(), waiting.size(), wait_ms);
  }
  errno = 0;
  for (std::size_t i = 0; i < streams.size(); ++i)
    if (!progress[i].over) end(streams[i], progress[i], "relaying");
}

Result<void> send_request(int fd, nlohmann::json const& message,
                          proto::FrameSeal& seal) {
  auto const text = proto::json_text(message);
  auto socket = SealedSocket::plain(fd);
  return send_all(socket, proto::frame_of(text) + seal.next(text));
}

Result<nlohmann::json> receive_frame(SealedSocket& socket, double silence_s) {
  proto::FrameReader reader;
  auto prefix = receive_exactly(socket, proto::frame_header_bytes, silence_s);
  if (!prefix) return prefix.error();
  reader.append(*prefix);
  std::uint32_t length = 0;
  for (unsigned char byte : *prefix) length = length << 8 | byte;
  if (length <= proto::frame_bytes_max) {  // else next() says what is wrong
    auto body = receive_exactly(socket, length, silence_s);
    if (!body) return body.error();
    reader.append(*body);
  }
  auto message = reader.next();
  if (!message) return message.error();
  return **message;
}

std::size_t total_bytes(std::vector<Span> const& spans) {
  std::size_t bytes = 0;
  for (auto const& span : spans) bytes += span.bytes;
  return bytes;
}

Result<std::string> local_address_towards(std::string const& address) {
  auto const colon = address.rfind(':');
  auto host = address.substr(0, colon);
  auto const port = colon == std::string::npos ? "" : address.substr(colon + 1);
  if (host.size() > 2 && host.front() == '[')
    host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (int const e = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found))
    return Error{Errc::unavailable,
                 "cannot resolve '" + address + "': " + ::gai_strerror(e)};
  // Connecting a datagram socket sends nothing; it picks the interface.
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  os::Fd fd(::socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  auto* own_address = reinterpret_cast<sockaddr*>(&own);
  bool const picked =
      fd && ::connect(fd.get(), found->ai_addr, found->ai_addrlen) == 0 &&
      ::getsockname(fd.get(), own_address, &size) == 0;
  ::freeaddrinfo(found);
  char text[NI_MAXHOST];
  if (!picked || ::getnameinfo(own_address, size, text, sizeof text, nullptr, 0,
                               NI_NUMERICHOST) != 0)
    return Error{Errc::unavailable, "no interface leads to '" + address + "'"};
  return std::string(text);
}

}  // namespace gleaner::state
