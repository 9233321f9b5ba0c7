// SPDX-License-Identifier: Apache-2.0
#include "runtime/comm/comm_gloo_context.hh"

#include <arpa/inet.h>
#include <gloo/transport/tcp/address.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>
#include <netinet/in.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <sstream>
#include <thread>

#include "runtime/os/signals.hh"

namespace gleaner {
namespace {

namespace tcp = gloo::transport::tcp;
using std::chrono::milliseconds;

/// Gloo of 2022 lets a pair be closed while it connects.
#if __has_include(<gloo/transport/tcp/listener.h>)
constexpr bool may_close_while_connecting = false;
#else
constexpr bool may_close_while_connecting = true;
#endif

sockaddr_storage endpoint(std::string const& host, int port) {
  sockaddr_storage storage{};
  auto* in = reinterpret_cast<sockaddr_in*>(&storage);
  auto* in6 = reinterpret_cast<sockaddr_in6*>(&storage);
  if (inet_pton(AF_INET, host.c_str(), &in->sin_addr) == 1) {
    in->sin_family = AF_INET;
    in->sin_port = htons(static_cast<std::uint16_t>(port));
  } else if (inet_pton(AF_INET6, host.c_str(), &in6->sin6_addr) == 1) {
    in6->sin6_family = AF_INET6;
    in6->sin6_port = htons(static_cast<std::uint16_t>(port));
  }
  return storage;
}

tcp::Address const& own_address(gloo::Context& context, int rank) {
  return dynamic_cast<tcp::Address const&>(context.getPair(rank)->address());
}

int port_of(tcp::Address const& address) {
  auto const& storage = address.getSockaddr();
  return ntohs(storage.ss_family == AF_INET6
                   ? reinterpret_cast<sockaddr_in6 const&>(storage).sin6_port
                   : reinterpret_cast<sockaddr_in const&>(storage).sin_port);
}

/// Of a connect that failed: Gloo may call back into its pairs.
void keep_for_ever(std::shared_ptr<GlooContext> context) {
  static auto* const mutex = new std::mutex;
  static auto* const kept = new std::vector<std::shared_ptr<GlooContext>>;
  std::lock_guard lock(*mutex);
  kept->push_back(std::move(context));
}

}  // namespace

GlooContext::GlooContext(PlaneOptions const& options, GlooDevice& device,
                         double connect_s)
    : gloo::Context(options.rank, options.size) {
  // Members wait for each other as long as user code computes; who has waited
  // too long is decided by the coordinator, which then stops the plane.
  setTimeout(std::chrono::hours(24));
  device_ = device.device();
  transportContext_ = device_->createContext(rank, size);
  // Gloo waits five times as long for a connection as it is told to.
  transportContext_->setTimeout(
      milliseconds(std::max(1, int(connect_s * 1000 / 5))));
  for (int i = 0; i < size; ++i)
    if (i != rank) transportContext_->createPair(i);
}

std::string GlooContext::contact(std::string const& address) const {
  std::ostringstream text;
  text << address;
  for (int i = 0; i < size; ++i) {
    if (i == rank) {
      text << " 0 0";
      continue;
    }
    auto const& own = own_address(const_cast<GlooContext&>(*this), i);
    text << ' ' << port_of(own) << ' ' << own.getSeq();
  }
  return text.str();
}

void GlooContext::close() {
  BlockSigpipe no_sigpipe;
  try {
    // A wait that times out closes every pair of its context.
    createUnboundBuffer(nullptr, 0)->waitRecv(nullptr, milliseconds(0));
  } catch (std::exception const&) {  // it always does
  }
}

double GlooConnect::pair_s(double timeout_s) {
  constexpr double longer_than_the_kernel_tries_s = 600;
  return may_close_while_connecting ? timeout_s
                                    : longer_than_the_kernel_tries_s;
}

Result<std::shared_ptr<GlooConnect>> GlooConnect::prepare(
    PlaneOptions const& options, std::shared_ptr<GlooDevice> device,
    std::shared_ptr<GlooContext> context,
    std::vector<std::string> const& contacts) {
  std::shared_ptr<GlooConnect> made(new GlooConnect);
  for (int i = 0; i < options.size; ++i) {
    if (i == options.rank) continue;
    std::istringstream text(contacts[std::size_t(i)]);
    std::string host;
    int port = 0;
    tcp::sequence_number_t number = 0;
    text >> host;
    for (int k = 0; k <= options.rank; ++k) text >> port >> number;
    auto const to = endpoint(host, port);
    if (!text || to.ss_family == AF_UNSPEC)
      return Error{Errc::invalid_argument,
                   "cannot read contact data '" + contacts[std::size_t(i)] +
                       "' of rank " + std::to_string(i)};
    made->to_.push_back({i,
                         tcp::Address(to, number).bytes(),
                         {options.address, 0, host, port}});
  }
  made->device_ = std::move(device);
  made->context_ = std::move(context);
  made->silence_s_ = options.silence_s;
  return made;
}

Result<void> GlooConnect::run(std::shared_ptr<GlooConnect> const& connect,
                              double timeout_s) {
  {
    BlockAllSignals for_its_thread;
    std::thread([connect] { connect->connect_all(); }).detach();
  }
  std::unique_lock lock(connect->mutex_);
  auto const in_time = connect->changed_.wait_for(
      lock, std::chrono::duration<double>(timeout_s),
      [&] { return connect->state_ != State::connecting; });
  if (in_time) return connect->outcome();
  lock.unlock();
  connect->give_up();
  return Error{Errc::timed_out, "data plane failed, not connected in time"};
}

Result<void> GlooConnect::outcome() const {
  if (state_ == State::connected) return {};
  return Error{Errc::unavailable, state_ == State::given_up
                                      ? "data plane stopped"
                                      : "data plane failed, " + why_};
}

void GlooConnect::give_up() {
  {
    std::lock_guard lock(mutex_);
    if (state_ != State::connecting) return;
    state_ = State::given_up;
    changed_.notify_all();
  }
  if (may_close_while_connecting) {
    auto quick = device_->tick_fast();
    context_->close();
  }
}

/// On a thread of its own, which nobody may be waiting for any more.
void GlooConnect::connect_all() {
  std::string why;
  auto quick = device_->tick_fast();
  try {
    for (auto const& to : to_) connect_pair(to);
  } catch (std::exception const& error) {
    why = std::string("not connected: ") + error.what();
  }
  if (!why.empty() && !may_close_while_connecting) keep_for_ever(context_);
  std::lock_guard lock(mutex_);
  if (state_ != State::connecting) return;
  state_ = why.empty() ? State::connected : State::failed;
  why_ = std::move(why);
  changed_.notify_all();
}

void GlooConnect::connect_pair(To const& to) {
  {
    std::lock_guard lock(mutex_);
    if (state_ != State::connecting) throw std::runtime_error("given up");
  }
  auto& pair = *context_->getPair(to.rank);
  auto ends = to.ends;
  ends.own_port = port_of(own_address(*context_, to.rank));
  pair.connect(to.address);
  if (silence_s_ > 0) end_pair_when_silent(ends, silence_s_);
}

}  // namespace gleaner
