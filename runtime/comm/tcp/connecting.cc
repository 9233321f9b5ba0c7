// SPDX-License-Identifier: Apache-2.0
#include "runtime/comm/tcp/connecting.hh"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <list>
#include <optional>
#include <set>

namespace gleaner::comm::tcp {
namespace {

constexpr int backlog = 4096;
constexpr std::size_t strangers_max = 64;
constexpr std::chrono::milliseconds again_after{20};

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  sockaddr* raw() { return reinterpret_cast<sockaddr*>(&storage); }
};

std::optional<Address> network_address(std::string const& host, int port) {
  Address address;
  auto* in = reinterpret_cast<sockaddr_in*>(&address.storage);
  auto* in6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (::inet_pton(AF_INET, host.c_str(), &in->sin_addr) == 1) {
    in->sin_family = AF_INET;
    in->sin_port = htons(std::uint16_t(port));
    address.size = sizeof *in;
  } else if (::inet_pton(AF_INET6, host.c_str(), &in6->sin6_addr) == 1) {
    in6->sin6_family = AF_INET6;
    in6->sin6_port = htons(std::uint16_t(port));
    address.size = sizeof *in6;
  } else {
    return std::nullopt;
  }
  return address;
}

/// An abstract name: no file, gone with its socket.
std::optional<Address> node_address(std::string const& name) {
  Address address;
  auto* un = reinterpret_cast<sockaddr_un*>(&address.storage);
  if (name.size() + 1 > sizeof un->sun_path) return std::nullopt;
  un->sun_family = AF_UNIX;
  name.copy(un->sun_path + 1, name.size());
  address.size = socklen_t(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

Error failed(std::string const& what) {
  return {Errc::io, "data plane: " + what + " (" + std::strerror(errno) + ")"};
}

os::Fd new_socket(int family) {
  return os::Fd(
      ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

/// A connection whose other end is not proven yet.
struct Opening {
  enum class State { waiting, connecting, answer, hello, proof, done, dead };

  os::Fd fd;
  State state;
  std::string in{}, out{};
  std::size_t want = 0;  ///< bytes of `in` until the next thing happens
  std::string answer{};
  Hello hello{};
  Call const* call = nullptr;  ///< of ours; NULL: somebody called
  Clock::time_point again{};   ///< waiting: when to call
};

class Connecting {
 public:
  Connecting(Listening const& listening, Plans const& plans,
             StopSignal const& stop, Clock::time_point end)
      : listening_(listening),
        plans_(plans),
        stop_(stop),
        end_(end),
        awaited_(plans.awaited.begin(), plans.awaited.end()) {}

  Result<std::map<Peer, os::Fd>> run() {
    for (auto const& call : plans_.calls) {
      openings_.push_back({os::Fd(), Opening::State::waiting});
      openings_.back().call = &call;
    }
    auto const wanted = plans_.calls.size() + plans_.awaited.size();
    for (;;) {
      if (auto begun = begin_calls(); !begun) return begun.error();
      if (proven_.size() == wanted) return std::move(proven_);
      if (auto moved = wait_and_move(); !moved) return moved.error();
    }
  }

 private:
  std::string name(Call const& call) const {
    return "rank " + std::to_string(call.peer.rank) + " at " + call.host +
           (call.port ? ":" + std::to_string(call.port) : "");
  }

  Result<void> begin_calls() {
    auto const now = Clock::now();
    for (auto& opening : openings_)
      if (opening.state == Opening::State::waiting && opening.again <= now)
        if (auto begun = begin(opening); !begun) return begun;
    return {};
  }

  Result<void> begin(Opening& opening) {
    auto const& call = *opening.call;
    auto address = call.port == 0 ? node_address(call.host)
                                  : network_address(call.host, call.port);
    if (!address)
      return Error{Errc::invalid_argument,
                   "data plane: '" + call.host + "' is no address"};
    opening.fd = new_socket(address->storage.ss_family);
    if (!opening.fd) return failed("no socket");
    opening.in.clear();
    opening.hello = {};
    opening.hello.generation = plans_.generation;
    opening.hello.from = std::uint32_t(plans_.rank);
    opening.hello.to = std::uint32_t(call.peer.rank);
    opening.hello.purpose = call.peer.purpose;
    opening.hello.nonce = new_nonce();
    opening.out = opening.hello.bytes();
    opening.want = answer_bytes;
    opening.state = Opening::State::connecting;
    if (::connect(opening.fd.get(), address->raw(), address->size) == 0 ||
        errno == EINPROGRESS)
      return {};
    // The other member's queue of connections is full.
    if (errno == EAGAIN) return again(opening), Result<void>();
    return gone(opening);
  }

  void again(Opening& opening) {
    opening.fd = os::Fd();
    opening.state = Opening::State::waiting;
    opening.again = Clock::now() + again_after;
  }

  Error gone(Opening const& opening) const {
    return {Errc::unavailable, "data plane: cannot reach " +
                                   name(*opening.call) + " (" +
                                   std::strerror(errno) + ")"};
  }

  Result<void> wait_and_move() {
    auto const now = Clock::now();
    if (now >= end_)
      return Error{Errc::timed_out,
                   "data plane: " + std::to_string(missing()) +
                       " connections to other members were not made in time" +
                       (accept_again_ == Clock::time_point{}
                            ? ""
                            : " (this process had no file descriptors left "
                              "for them) [raise its limit of open files, "
                              "ulimit -n]")};
    auto until = end_;
    // A caller that cannot be accepted would wake us again and again.
    bool const accepts = now >= accept_again_;
    if (!accepts) until = std::min(until, accept_again_);
    std::vector<pollfd> polled{stop_.polled(),
                               {accepts ? listening_.network() : -1, POLLIN, 0},
                               {accepts ? listening_.node() : -1, POLLIN, 0}};
    for (auto const& opening : openings_) {
      if (opening.state == Opening::State::waiting)
        until = std::min(until, opening.again);
      auto const writes =
          opening.state == Opening::State::connecting || !opening.out.empty();
      polled.push_back(
          {opening.fd.get(), short(writes ? POLLIN | POLLOUT : POLLIN), 0});
    }
    auto const wait =
        std::chrono::ceil<std::chrono::milliseconds>(until - now).count();
    auto const n = ::poll(polled.data(), nfds_t(polled.size()), int(wait));
    if (n < 0 && errno != EINTR) return failed("cannot wait");
    if (stop_.raised()) return StopSignal::error();
    if (n <= 0) return {};
    auto entry = polled.begin() + 3;
    for (auto& opening : openings_) {
      auto const events = (entry++)->revents;
      if (!events || opening.state == Opening::State::waiting) continue;
      if (auto moved = move(opening, events); !moved) return moved;
    }
    openings_.remove_if([](Opening const& opening) {
      return opening.state == Opening::State::dead ||
             opening.state == Opening::State::done;
    });
    if (polled[1].revents) accept_from(listening_.network());
    if (polled[2].revents) accept_from(listening_.node());
    return {};
  }

  std::size_t missing() const {
    return plans_.calls.size() + plans_.awaited.size() - proven_.size();
  }

  void accept_from(int listener) {
    for (;;) {
      os::Fd fd(
          ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!fd) {
        // The caller waits until there are descriptors, or our time is over.
        if (errno == EMFILE || errno == ENFILE)
          accept_again_ = Clock::now() + again_after;
        return;
      }
      openings_.push_back({std::move(fd), Opening::State::hello});
      openings_.back().want = sizeof(Hello);
      make_room();
    }
  }

  void make_room() {
    std::size_t called = 0;
    for (auto const& opening : openings_) called += !opening.call;
    if (called <= strangers_max + awaited_.size()) return;
    auto const oldest =
        std::find_if(openings_.begin(), openings_.end(),
                     [](Opening const& opening) { return !opening.call; });
    openings_.erase(oldest);
  }

  /// A caller that is none is forgotten; a peer that is gone ends it all.
  Result<void> lost(Opening& opening) {
    if (!opening.call) {
      opening.state = Opening::State::dead;
      return {};
    }
    // Its queue of strangers was full, or it has left: the next call says.
    again(opening);
    return {};
  }

  Result<void> move(Opening& opening, short events) {
    if (opening.state == Opening::State::connecting) {
      int error = 0;
      socklen_t size = sizeof error;
      ::getsockopt(opening.fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
      if (error != 0) {
        errno = error;
        return gone(opening);
      }
      if (!(events & POLLOUT)) return {};
      opening.state = Opening::State::answer;
    }
    if (!opening.out.empty()) {
      auto const n = ::send(opening.fd.get(), opening.out.data(),
                            opening.out.size(), MSG_NOSIGNAL);
      if (n < 0 && errno != EAGAIN && errno != EINTR) return lost(opening);
      if (n > 0) opening.out.erase(0, std::size_t(n));
    }
    return opening.want > 0 ? read(opening) : finish(opening);
  }

  Result<void> read(Opening& opening) {
    char bytes[256];
    auto const n =
        ::recv(opening.fd.get(), bytes,
               std::min(sizeof bytes, opening.want - opening.in.size()), 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return {};
    if (n <= 0) return lost(opening);
    opening.in.append(bytes, std::size_t(n));
    if (opening.in.size() < opening.want) return {};
    auto const said = std::exchange(opening.in, "");
    if (opening.state == Opening::State::answer) return answered(opening, said);
    if (opening.state == Opening::State::hello) return greeted(opening, said);
    if (!is_proof(plans_.key, opening.hello, opening.answer, said))
      return lost(opening);
    opening.want = 0;
    return finish(opening);
  }

  Result<void> answered(Opening& opening, std::string const& answer) {
    if (!is_answer(plans_.key, opening.hello, answer))
      return Error{Errc::denied,
                   "data plane: what answers for " + name(*opening.call) +
                       " does not know the secret of this generation"};
    opening.out = proof_for(plans_.key, opening.hello, answer);
    opening.want = 0;
    return move(opening, POLLOUT);
  }

  Result<void> greeted(Opening& opening, std::string const& said) {
    auto const& hello = opening.hello = Hello::of(said);
    if (hello.magic != Hello::expected_magic ||
        hello.generation != plans_.generation ||
        hello.to != std::uint32_t(plans_.rank) ||
        !awaited_.count({int(hello.from), hello.purpose}))
      return lost(opening);
    opening.answer = answer_to(plans_.key, hello, new_nonce());
    opening.out = opening.answer;
    opening.want = proof_bytes;
    opening.state = Opening::State::proof;
    return move(opening, POLLOUT);
  }

  Result<void> finish(Opening& opening) {
    if (!opening.out.empty()) return {};
    auto const peer =
        opening.call ? opening.call->peer
                     : Peer{int(opening.hello.from), opening.hello.purpose};
    opening.state = Opening::State::done;
    if (!opening.call && awaited_.erase(peer) == 0) return {};  // twice
    proven_.emplace(peer, std::move(opening.fd));
    return {};
  }

  Listening const& listening_;
  Plans const& plans_;
  StopSignal const& stop_;
  Clock::time_point const end_;
  Clock::time_point accept_again_{};  ///< not before: no descriptors
  std::set<Peer> awaited_;
  std::list<Opening> openings_;
  std::map<Peer, os::Fd> proven_;
};

}  // namespace

Result<Listening> Listening::open(std::string const& address) {
  Listening made;
  auto on = network_address(address, 0);
  if (!on)
    return Error{Errc::invalid_argument,
                 "data plane: '" + address + "' is no numeric address"};
  made.network_ = new_socket(on->storage.ss_family);
  if (!made.network_ || ::bind(made.network_.get(), on->raw(), on->size) != 0 ||
      ::listen(made.network_.get(), backlog) != 0 ||
      ::getsockname(made.network_.get(), on->raw(), &on->size) != 0)
    return failed("cannot listen on " + address);
  made.port_ =
      ntohs(on->storage.ss_family == AF_INET6
                ? reinterpret_cast<sockaddr_in6&>(on->storage).sin6_port
                : reinterpret_cast<sockaddr_in&>(on->storage).sin_port);
  // Bound without a name, a UNIX socket gets an abstract one from the kernel.
  Address local;
  local.storage.ss_family = AF_UNIX;
  local.size = sizeof(sa_family_t);
  made.node_ = new_socket(AF_UNIX);
  if (!made.node_ || ::bind(made.node_.get(), local.raw(), local.size) != 0 ||
      ::listen(made.node_.get(), backlog) != 0)
    return failed("cannot listen within the node");
  local.size = sizeof local.storage;
  if (::getsockname(made.node_.get(), local.raw(), &local.size) != 0)
    return failed("cannot listen within the node");
  auto const& un = reinterpret_cast<sockaddr_un&>(local.storage);
  made.local_.assign(un.sun_path + 1,
                     local.size - offsetof(sockaddr_un, sun_path) - 1);
  return Result<Listening>(std::move(made));
}

Result<std::map<Peer, os::Fd>> connect_peers(Listening const& listening,
                                             Plans const& plans,
                                             StopSignal const& stop,
                                             Clock::time_point end) {
  return Connecting(listening, plans, stop, end).run();
}

}  // namespace gleaner::comm::tcp
