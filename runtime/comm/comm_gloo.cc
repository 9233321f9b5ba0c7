// SPDX-License-Identifier: Apache-2.0
/// The data plane over Gloo's TCP transport.
///
/// Gloo's connections are used, but neither its rendezvous nor its allreduce:
/// both may sleep where nothing wakes them.  Pair::close() wakes nobody; an
/// exception on a pair wakes neither the buffer that is being received into
/// nor the one that is being sent.  So here
///   - every wait is on a buffer of ours, which stop() aborts;
///   - the pairs are closed by letting a wait time out at once: the only
///     public call that also wakes a thread inside Pair::connect();
///   - contact data is one blob per member, exchanged once.
/// A pair's connection is not authenticated: whoever reaches the port first is
/// the peer.  Ports are open only while a generation connects.
#include "runtime/comm/comm_gloo.hh"

#include <arpa/inet.h>
#include <gloo/context.h>
#include <gloo/transport/tcp/address.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>
#include <netinet/in.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <sstream>

#include "runtime/comm/comm_gloo_device.hh"
#include "runtime/comm/comm_gloo_sockets.hh"
#include "runtime/comm/comm_ring.hh"
#include "runtime/os/signals.hh"

namespace gleaner {
namespace {

namespace tcp = gloo::transport::tcp;
using Buffer = gloo::transport::UnboundBuffer;
using std::chrono::milliseconds;

/// Members wait for each other as long as user code computes; who has waited
/// too long is decided by the coordinator, which then stops the plane.
constexpr milliseconds wait_max = std::chrono::hours(24);
constexpr std::uint64_t slot = 1;

struct Stopped {};  ///< a wait was aborted

/// A Gloo context that shows its pairs before they are connected.
class GlooContext final : public gloo::Context {
 public:
  GlooContext(int rank, int size,
              std::shared_ptr<gloo::transport::Device> const& device,
              milliseconds timeout)
      : gloo::Context(rank, size) {
    setTimeout(wait_max);
    device_ = device;
    transportContext_ = device->createContext(rank, size);
    transportContext_->setTimeout(timeout);
    for (int i = 0; i < size; ++i)
      if (i != rank) transportContext_->createPair(i);
  }
};

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

int port_of(gloo::transport::Address const& address) {
  auto const& storage =
      dynamic_cast<tcp::Address const&>(address).getSockaddr();
  return ntohs(storage.ss_family == AF_INET6
                   ? reinterpret_cast<sockaddr_in6 const&>(storage).sin6_port
                   : reinterpret_cast<sockaddr_in const&>(storage).sin_port);
}

class GlooPlane final : public Plane {
 public:
  GlooPlane(PlaneOptions const& options, std::shared_ptr<GlooDevice> device)
      : options_(options), device_(std::move(device)) {}

  ~GlooPlane() override {
    auto quick = device_->tick_fast();
    context_.reset();
  }

  Result<void> connect(Exchange const& exchange, double timeout_s) override;
  Result<void> allreduce(void const* local, void* sum, std::size_t n,
                         Element type) override;
  void stop() override;

 private:
  class Operation;

  Result<void> open_pairs(double timeout_s);
  std::string contact() const;
  Result<void> connect_pairs(std::vector<std::string> const& contacts);
  Result<void> failed(std::exception const& why) const;

  PlaneOptions const options_;
  std::shared_ptr<GlooDevice> const device_;
  std::mutex mutex_;  ///< for what follows
  bool stopped_ = false;
  std::shared_ptr<GlooContext> context_;
  Operation* operation_ = nullptr;  ///< the allreduce in progress
};

Result<void> GlooPlane::failed(std::exception const& why) const {
  return Error{Errc::unavailable,
               std::string("data plane failed: ") + why.what()};
}

Result<void> GlooPlane::open_pairs(double timeout_s) {
  // Gloo waits five times as long for a connection as it is told to.
  milliseconds const timeout(std::max(1, int(timeout_s * 1000 / 5)));
  auto context = std::make_shared<GlooContext>(options_.rank, options_.size,
                                               device_->device(), timeout);
  std::lock_guard lock(mutex_);
  if (stopped_) return Error{Errc::unavailable, "data plane stopped"};
  context_ = std::move(context);
  return {};
}

/// "10.0.0.7 41000 0 41002": the interface, then the port of the pair for each
/// rank, 0 for the member's own.
std::string GlooPlane::contact() const {
  std::ostringstream text;
  text << options_.address;
  for (int i = 0; i < options_.size; ++i)
    text << ' '
         << (i == options_.rank ? 0 : port_of(context_->getPair(i)->address()));
  return text.str();
}

Result<void> GlooPlane::connect_pairs(
    std::vector<std::string> const& contacts) {
  for (int i = 0; i < options_.size; ++i) {
    if (i == options_.rank) continue;
    std::istringstream text(contacts[i]);
    std::string host;
    int port = 0;
    text >> host;
    for (int k = 0; k <= options_.rank; ++k) text >> port;
    auto const to = endpoint(host, port);
    if (!text || to.ss_family == AF_UNSPEC)
      return Error{Errc::invalid_argument, "cannot read contact data '" +
                                               contacts[i] + "' of rank " +
                                               std::to_string(i)};
    auto& pair = *context_->getPair(i);
    pair.connect(tcp::Address(to).bytes());
    if (options_.silence_s > 0)
      end_pair_when_silent(
          {options_.address, port_of(pair.address()), host, port},
          options_.silence_s);
  }
  return {};
}

Result<void> GlooPlane::connect(Exchange const& exchange, double timeout_s) {
  try {
    if (auto opened = open_pairs(timeout_s); !opened) return opened;
    auto contacts = exchange("contact", contact());
    if (!contacts) return contacts.error();
    if (contacts->size() != std::size_t(options_.size))
      return Error{Errc::invalid_argument,
                   "contact data of " + std::to_string(contacts->size()) +
                       " members, expected " + std::to_string(options_.size)};
    auto quick = device_->tick_fast();
    return connect_pairs(*contacts);
  } catch (std::exception const& why) {
    return failed(why);
  }
}

/// One allreduce: the buffers stop() must be able to abort.
class GlooPlane::Operation {
 public:
  Operation(GlooPlane& plane, void const* local, void* sum,
            RingPlan const& plan)
      : plane_(plane),
        plan_(plan),
        sum_(static_cast<char*>(sum)),
        local_(static_cast<char const*>(local)),
        scratch_(plan.lookahead() * plan.segment_bytes()) {
    auto& context = *plane_.context_;
    // Gloo has no const buffers; this one is only sent from.
    from_local_ =
        context.createUnboundBuffer(const_cast<void*>(local), plan.bytes());
    in_sum_ = context.createUnboundBuffer(sum, plan.bytes());
    in_scratch_ = context.createUnboundBuffer(scratch_.data(), scratch_.size());
    std::lock_guard lock(plane_.mutex_);
    if (plane_.stopped_) throw Stopped{};
    plane_.operation_ = this;
  }
  ~Operation() {
    std::lock_guard lock(plane_.mutex_);
    plane_.operation_ = nullptr;
  }
  Operation(Operation const&) = delete;

  void abort() {
    for (auto* buffer : {from_local_.get(), in_sum_.get(), in_scratch_.get()}) {
      buffer->abortWaitRecv();
      buffer->abortWaitSend();
    }
  }

  void run(Element type) {
    auto const steps = plan_.steps(), ahead = plan_.lookahead();
    for (std::size_t i = 0; i < steps + ahead; ++i) {
      if (i >= ahead) finish(i - ahead, type);
      if (i < steps) begin(i);
    }
  }

 private:
  char* scratch_of(std::size_t i) {
    return scratch_.data() + i % plan_.lookahead() * plan_.segment_bytes();
  }

  void begin(std::size_t i) {
    auto const step = plan_.step(i);
    if (step.receive.bytes > 0) {
      if (step.add)
        in_scratch_->recv(plan_.left(), slot, scratch_of(i) - scratch_.data(),
                          step.receive.bytes);
      else
        in_sum_->recv(plan_.left(), slot, step.receive.offset,
                      step.receive.bytes);
    }
    if (step.send.bytes > 0)
      (step.from_local ? from_local_ : in_sum_)
          ->send(plan_.right(), slot, step.send.offset, step.send.bytes);
  }

  void finish(std::size_t i, Element type) {
    auto const step = plan_.step(i);
    if (step.receive.bytes > 0) {
      if (!(step.add ? in_scratch_ : in_sum_)->waitRecv(nullptr, wait_max))
        throw Stopped{};
      if (step.add)
        add(type, sum_ + step.receive.offset, local_ + step.receive.offset,
            scratch_of(i), step.receive.bytes / size_of(type));
    }
    if (step.send.bytes > 0 &&
        !(step.from_local ? from_local_ : in_sum_)->waitSend(nullptr, wait_max))
      throw Stopped{};
  }

  GlooPlane& plane_;
  RingPlan const& plan_;
  char* const sum_;
  char const* const local_;
  std::vector<char> scratch_;
  std::unique_ptr<Buffer> from_local_, in_sum_, in_scratch_;
};

Result<void> GlooPlane::allreduce(void const* local, void* sum, std::size_t n,
                                  Element type) {
  assert(context_);
  BlockSigpipe no_sigpipe;
  try {
    RingPlan const plan(options_.rank, options_.size, n, size_of(type));
    Operation(*this, local, sum, plan).run(type);
    return {};
  } catch (Stopped const&) {
    return Error{Errc::unavailable, "data plane stopped"};
  } catch (std::exception const& why) {
    return failed(why);
  }
}

void GlooPlane::stop() {
  std::shared_ptr<GlooContext> context;
  {
    std::lock_guard lock(mutex_);
    if (stopped_) return;
    stopped_ = true;
    context = context_;
    if (operation_) operation_->abort();
  }
  if (!context) return;
  auto quick = device_->tick_fast();
  BlockSigpipe no_sigpipe;
  try {
    // A wait that times out closes every pair of its context.
    context->createUnboundBuffer(nullptr, 0)
        ->waitRecv(nullptr, milliseconds(0));
  } catch (std::exception const&) {  // it always does
  }
}

}  // namespace

Result<std::unique_ptr<Plane>> make_gloo_plane(PlaneOptions const& options) {
  auto device = GlooDevice::on(options.address);
  if (!device) return device.error();
  return std::unique_ptr<Plane>(new GlooPlane(options, *device));
}

}  // namespace gleaner
