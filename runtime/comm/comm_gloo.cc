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
///   - they are connected on a thread that can be left behind;
///   - contact data is one blob per member, exchanged once.
/// A pair's connection is not authenticated: whoever reaches the port first is
/// the peer.  With Gloo of 2022 ports are open only while a generation
/// connects; since 2023 a member has one port, and numbers that can be guessed.
#include "runtime/comm/comm_gloo.hh"

#include <gloo/transport/unbound_buffer.h>

#include <mutex>

#include "runtime/comm/comm_gloo_context.hh"
#include "runtime/comm/comm_gloo_device.hh"
#include "runtime/comm/comm_ring.hh"
#include "runtime/os/signals.hh"

namespace gleaner {
namespace {

using Buffer = gloo::transport::UnboundBuffer;
using std::chrono::milliseconds;

constexpr milliseconds wait_max = std::chrono::hours(24);
constexpr std::uint64_t slot = 1;

struct Stopped {};  ///< a wait was aborted

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
  Result<void> connect_pairs(std::vector<std::string> const& contacts,
                             double timeout_s);
  Result<void> failed(std::exception const& why) const;

  PlaneOptions const options_;
  std::shared_ptr<GlooDevice> const device_;
  std::mutex mutex_;  ///< for what follows
  bool stopped_ = false;
  std::shared_ptr<GlooContext> context_;
  std::shared_ptr<GlooConnect> connecting_;  ///< until it has connected
  Operation* operation_ = nullptr;           ///< the allreduce in progress
};

Result<void> GlooPlane::failed(std::exception const& why) const {
  return Error{Errc::unavailable,
               std::string("data plane failed: ") + why.what()};
}

Result<void> GlooPlane::open_pairs(double timeout_s) {
  auto context = std::make_shared<GlooContext>(options_, *device_,
                                               GlooConnect::pair_s(timeout_s));
  std::lock_guard lock(mutex_);
  if (stopped_) return Error{Errc::unavailable, "data plane stopped"};
  context_ = std::move(context);
  return {};
}

Result<void> GlooPlane::connect_pairs(std::vector<std::string> const& contacts,
                                      double timeout_s) {
  auto connect = GlooConnect::prepare(options_, device_, context_, contacts);
  if (!connect) return connect.error();
  {
    std::lock_guard lock(mutex_);
    if (stopped_) return Error{Errc::unavailable, "data plane stopped"};
    connecting_ = *connect;
  }
  auto connected = GlooConnect::run(*connect, timeout_s);
  if (!connected) return connected;
  std::lock_guard lock(mutex_);
  connecting_.reset();
  if (stopped_) return Error{Errc::unavailable, "data plane stopped"};
  return {};
}

Result<void> GlooPlane::connect(Exchange const& exchange, double timeout_s) {
  try {
    if (auto opened = open_pairs(timeout_s); !opened) return opened;
    auto contacts = exchange("contact", context_->contact(options_.address));
    if (!contacts) return contacts.error();
    if (contacts->size() != std::size_t(options_.size))
      return Error{Errc::invalid_argument,
                   "contact data of " + std::to_string(contacts->size()) +
                       " members, expected " + std::to_string(options_.size)};
    return connect_pairs(*contacts, timeout_s);
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

/// The pairs of a connect that is given up are its own to close.
void GlooPlane::stop() {
  std::shared_ptr<GlooContext> context;
  std::shared_ptr<GlooConnect> connecting;
  {
    std::lock_guard lock(mutex_);
    if (stopped_) return;
    stopped_ = true;
    context = context_;
    connecting = connecting_;
    if (operation_) operation_->abort();
  }
  if (connecting) return connecting->give_up();
  if (!context) return;
  auto quick = device_->tick_fast();
  context->close();
}

}  // namespace

Result<std::unique_ptr<Plane>> make_gloo_plane(PlaneOptions const& options) {
  auto device = GlooDevice::on(options.address);
  if (!device) return device.error();
  return std::unique_ptr<Plane>(new GlooPlane(options, *device));
}

}  // namespace gleaner
