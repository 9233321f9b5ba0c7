// SPDX-License-Identifier: Apache-2.0
/// How a member comes to its training, and how it goes.
#include "runtime/member/member.hh"

#include <unistd.h>

#include <utility>

#include "core/clock.hh"
#include "core/place.hh"
#include "runtime/comm/comm.hh"

namespace gleaner::member {
namespace {

constexpr std::chrono::seconds welcome_wait{60};
constexpr std::chrono::milliseconds flush_wait{1500};

double seconds_now() { return SystemClock().monotonic_s(); }

comm::PlaneOptions plane_options(MemberEnvironment const& environment) {
  comm::PlaneOptions options;
  options.address = environment.address;
  options.comm_host = environment.comm_host;
  options.cpus = environment.cpus;
  options.secret = environment.secret;
  options.node = node_of(environment.node);
  options.topology = environment.topology;
  options.slow_link = environment.slow_link;
  return options;
}

/// A shard's gradient is one sum, no matter who computes it: never cut.
Result<void> check_shards(generation::SamplerOptions const& options,
                          std::uint32_t shards, std::uint64_t micro_batch_max) {
  if (shards == 0 || micro_batch_max == 0) return {};
  auto const largest = (options.global_batch + shards - 1) / shards;
  if (largest <= micro_batch_max) return {};
  auto const enough =
      (options.global_batch + micro_batch_max - 1) / micro_batch_max;
  return Error{Errc::invalid_argument,
               "micro_batch_max is " + std::to_string(micro_batch_max) +
                   ", but " + std::to_string(options.global_batch) +
                   " samples in " + std::to_string(shards) +
                   " shards are up to " + std::to_string(largest) +
                   " in each (deterministic mode computes a shard at once) "
                   "[use " +
                   std::to_string(enough) + " shards or more]"};
}

}  // namespace

Result<std::unique_ptr<Member>> Member::open(generation::SamplerOptions options,
                                             MemberEnvironment environment,
                                             std::uint64_t micro_batch_max) {
  if (auto valid = generation::check(options); !valid) return valid.error();
  if (auto fits =
          check_shards(options, environment.rules.shards, micro_batch_max);
      !fits)
    return fits.error();
  auto const digest_of = state::digest_wanted();
  if (!digest_of) return digest_of.error();
  auto const buffers = state::buffers_promised();
  if (!buffers) return buffers.error();
  if (environment.address.empty()) {
    auto const& to = environment.coordinator;
    auto own = to.empty() ? Result<std::string>("127.0.0.1")
                          : state::local_address_towards(to);
    if (!own) return own.error();
    environment.address = *own;
  }
  std::unique_ptr<Member> member(
      new Member(options, std::move(environment), micro_batch_max));
  member->digest_of_ = *digest_of;
  member->buffers_ = *buffers;
  if (auto connected = member->connect(); !connected) return connected.error();
  return member;
}

Member::Member(generation::SamplerOptions options,
               MemberEnvironment environment, std::uint64_t micro_batch_max)
    : environment_(std::move(environment)),
      options_(options),
      gradients_(comm::shares_memory(environment_.plane)
                     ? os::Sharing::by_descriptor
                     : os::Sharing::none),
      whereabouts_(seconds_now()),
      session_(environment_.coordinator.empty() ? 1 : environment_.member,
               options, environment_.rules, micro_batch_max),
      work_(io_.get_executor()),
      data_(io_, environment_.secret, environment_.member),
      planes_(
          background_, environment_.plane, plane_options(environment_),
          [this](msg::PlaneBlob const& blob) { post(blob); },
          [this](msg::Generation generation, Result<void> const& done) {
            Lock lock(mutex_);
            perform(done ? session_.plane_connected(generation)
                         : session_.failed(generation, done.error().message));
          }) {
  if (environment_.rules.shards) shard_sums_.emplace(environment_.rules.shards);
  link_ = environment_.coordinator.empty()
              ? make_alone_link(io_)
              : make_remote_link(io_, environment_.coordinator,
                                 environment_.secret);
}

Result<void> Member::connect() {
  msg::MemberHello hello;
  hello.member = environment_.member;
  hello.node = environment_.node;
  hello.pid = getpid();
  hello.planes = comm::planes_available();
  if (!environment_.coordinator.empty()) {
    auto listening = data_.listen(
        environment_.address,
        [this](msg::PullReduction const& request, auto connection) {
          serve_reduction_to(request, std::make_shared<DataService::Connection>(
                                          std::move(connection)));
        });
    if (!listening)
      return Error{listening.error().code,
                   listening.error().message +
                       " [GLEANER_ADDRESS, where it is set, is an address of "
                       "this node]"};
    hello.data_address = *listening;
  }
  asio::post(io_, [this, hello] {
    link_->start(
        hello, [this] { return whereabouts_.report(seconds_now()); },
        [this](msg::ToMember const& message) { received(message); },
        [this](Error const& why) {
          Lock lock(mutex_);
          give_up(GLEANER_ELOST, "no coordinator: " + why.message);
        });
  });
  run_loop();
  Lock lock(mutex_);
  changed_.wait_for(lock, welcome_wait, [&] { return welcome_ || lost_code_; });
  if (lost_code_)
    return Error{
        lost_code_ == GLEANER_EREFUSED ? Errc::denied : Errc::unavailable,
        lost_why_};
  if (!welcome_) return Error{Errc::timed_out, "the coordinator is silent"};
  return {};
}

void Member::run_loop() {
  os::BlockAllSignals in_its_thread;
  loop_ = std::async(std::launch::async, [this] {
    try {
      io_.run();
    } catch (std::exception const& why) {
      Lock lock(mutex_);
      give_up(GLEANER_EIO, why.what());
    }
  });
}

Member::~Member() {
  {
    Lock lock(mutex_);
    lost_code_ = GLEANER_ESTATE;
    tasks_.clear();
    stop_feed();
    changed_.notify_all();
  }
  asio::post(io_, [this] {
    link_->close();
    data_.close();
    work_.reset();
  });
  planes_.drop_all();
  data_.abort_all();
  // What was sent last may still be on its way out.
  if (loop_.valid() && loop_.wait_for(flush_wait) != std::future_status::ready)
    io_.stop();
  if (loop_.valid()) loop_.wait();
}

int Member::fail(int code, std::string why) {
  error_ = std::move(why);
  return code;
}

/// Nothing on it can be relied on any more: this member is lost.
int Member::device_failed(Error const& why) {
  Lock lock(mutex_);
  post(msg::MemberError{why.message});
  give_up(GLEANER_EIO, why.message);
  phase_ = Phase::over;
  return fail(GLEANER_EIO, why.message);
}

/// What the program has queued on its stream is done.
Result<void> Member::join() {
  return device_ ? device_->join(stream_) : Result<void>();
}

}  // namespace gleaner::member
