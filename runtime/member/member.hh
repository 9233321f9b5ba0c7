// SPDX-License-Identifier: Apache-2.0
/// One process's part in a training: where the user's thread, the session and
/// the network meet.
///
/// Threads: the user's, which calls the public methods; one event loop, which
/// talks to the coordinator and never blocks or waits for user code; and those
/// of Background, which connect planes, move reductions and write files.
/// One lock guards the session and all that is shared.  A thread with an event
/// tells the session under the lock and carries out the actions it returns:
/// at once, on another thread, or, when they touch registered state or call
/// the program, by leaving them to the user's thread, which waits for nothing
/// else at such a time.
///
/// `busy_` counts what may write gradients, reductions or state.  After
/// StopPlanes the session is answered when it has come to zero.
#pragma once

#include <asio.hpp>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gleaner/gleaner.h"
#include "runtime/comm/gpu_module.hh"
#include "runtime/generation/session.hh"
#include "runtime/member/background.hh"
#include "runtime/member/data_service.hh"
#include "runtime/member/link.hh"
#include "runtime/member/member_environment.hh"
#include "runtime/member/planes.hh"
#include "runtime/member/whereabouts.hh"
#include "runtime/state/gradients.hh"
#include "runtime/state/registry.hh"
#include "runtime/state/shard_sums.hh"
#include "runtime/state/state_digest.hh"

namespace gleaner::state {
struct StateHeader;
}  // namespace gleaner::state

namespace gleaner::member {

class Feeder;
struct StateSources;

/// Methods return the codes of gleaner.h and are called by one thread.
class Member {
 public:
  static Result<std::unique_ptr<Member>> open(
      generation::SamplerOptions options, MemberEnvironment environment,
      std::uint64_t micro_batch_max);
  ~Member();

  int add(state::Tensor tensor);
  /// On a GPU, or with -1 on the host.
  int add_on(state::Tensor tensor, int device);
  /// Where the program queues its work on the GPU.
  int set_stream(void* stream);
  int add(state::Blob blob);
  int set_update(std::function<int()> update);
  int set_loads_ahead(std::uint32_t shares, std::function<void()> begins_soon);
  void* gradient(std::string const& name) const;

  int start();
  int step(gleaner_step_info& info);
  int gradient_ready(std::string const& name);
  int reduce();
  int again(std::uint64_t micro_batch_max);
  int stop();
  int step_now(gleaner_step_info& info);
  int samples_ahead(std::uint32_t ahead, std::vector<std::uint64_t>& samples);
  int apply();
  int log(std::string key, double value, std::uint64_t n);
  int busy(std::string why, double limit_s);
  int set_weight(double weight);

  /// Why the last call that failed did.
  std::string const& error() const { return error_; }

 private:
  using Lock = std::unique_lock<std::mutex>;
  /// What the user's thread is waiting to be told.
  using Answer =
      std::variant<generation::session::Started, generation::session::BeginStep,
                   generation::session::ApplyReduction,
                   generation::session::Leave, generation::session::Done>;
  /// Work that only the user's thread may do.
  struct Task {
    msg::Generation generation;
    enum class Kind { transfer, file } kind;
    std::function<void()> run;
  };
  enum class Phase { registering, between, computing, reduced, over };

  Member(generation::SamplerOptions options, MemberEnvironment environment,
         std::uint64_t micro_batch_max);
  Result<void> connect();
  void run_loop();

  // The user's thread.
  int fail(int code, std::string why);
  int register_failed(Error const& why);
  int device_failed(Error const& why);
  Result<std::shared_ptr<comm::Device>> device(int index);
  Result<void> join();
  enum class Inside { start, step, reduce };
  int wait(Lock& lock, Inside inside);
  int wait_for_answer(Lock& lock, Inside inside);
  Result<void> begin(generation::session::BeginStep const& step);
  std::vector<std::uint64_t> samples_at(
      std::uint64_t pass, generation::Positions const& positions) const;
  void fill(gleaner_step_info& info) const;
  std::uint64_t rng_seed() const;
  static std::string why_no_update();
  std::string why_copy() const;
  /// L and R.
  state::Gradients& sums() {
    return shard_sums_ ? shard_sums_->sums() : gradients_;
  }

  // The reduction: on the user's thread in gleaner_reduce(), or, from the
  // first gleaner_gradient_ready() on, on a thread of its own.
  void run_reducer();
  void run_reduction(Lock& lock);
  Result<bool> reduce_buckets(Lock& lock, comm::Plane& plane,
                              generation::session::Reduce const& reduction);
  Result<bool> begin_buckets(Lock& lock, comm::Plane& plane,
                             generation::session::Reduce const& reduction);
  bool wait_for_bucket(Lock& lock, std::size_t i,
                       generation::session::Reduce const& reduction);
  bool is_wanted(generation::session::Reduce const& reduction) const;
  void add_up_shards(Lock& lock, msg::Step step);
  Result<void> first_bucket_done(generation::session::Reduce const& reduction);

  // Under the lock.
  void perform(generation::session::Actions actions);
  void perform(msg::Generation generation,
               Result<generation::session::Actions> actions);
  void do_one(generation::session::Send const& action);
  void do_one(generation::session::ConnectPlane const& action);
  void do_one(generation::session::DropPlane const& action);
  void do_one(generation::session::StopPlanes const& action);
  void do_one(generation::session::ServeState const& action);
  void do_one(generation::session::FetchState const& action);
  void do_one(generation::session::PrepareFeed const& action);
  void do_one(generation::session::Feed const& action);
  void do_one(generation::session::EndFeed const& action);
  void do_one(generation::session::FetchReduction const& action);
  void do_one(generation::session::WriteCheckpoint const& action);
  void do_one(generation::session::LoadCheckpoint const& action);
  void do_one(generation::session::Reduce const& action);
  void do_one(generation::session::BeginsSoon const& action);
  void do_one(generation::session::Started const& action) { tell_user(action); }
  void do_one(generation::session::BeginStep const& action);
  void do_one(generation::session::ApplyReduction const& action) {
    tell_user(action);
  }
  void do_one(generation::session::Leave const& action) { tell_user(action); }
  void do_one(generation::session::Done const& action) { tell_user(action); }
  void tell_user(Answer answer);
  void add_task(msg::Generation generation, Task::Kind kind,
                std::function<void()> run);
  void in_background(std::function<void()> work);
  void post(msg::FromMember message);
  void give_up(int code, std::string why);
  void stop_feed();
  void no_update_made();

  // Tasks, on the user's thread, and work in the background; not locked.
  void serve(generation::session::ServeState const& action,
             DataService::Permit const& permit);
  void fetch(generation::session::FetchState const& action,
             DataService::Permit const& permit);
  void feed(generation::session::Feed const& action,
            DataService::Permit const& permit);
  void end_feed(generation::session::EndFeed const& action);
  void feed_step(generation::session::ApplyReduction const& result);
  std::shared_ptr<Feeder> feeder_of(msg::Generation generation);
  Result<std::string> header_of(Feeder const& feeder,
                                std::string const& session);
  Result<state::StateHeader> follow(
      generation::session::FetchState const& action,
      StateSources const& sources);
  Result<void> update_as(msg::Reduced const& reduced);
  void fetch(generation::session::FetchReduction const& action,
             DataService::Permit const& permit);
  void write(generation::session::WriteCheckpoint const& action);
  void load(generation::session::LoadCheckpoint const& action);
  void send_digest(msg::Generation generation, msg::Step step);
  Result<void> take_loaded(msg::Generation generation,
                           std::string const& header);

  // The event loop.
  void received(msg::ToMember const& message);
  void serve_reduction_to(msg::PullReduction const& request,
                          std::shared_ptr<DataService::Connection> to);

  MemberEnvironment const environment_;
  generation::SamplerOptions const options_;
  state::Registry registry_;
  state::Gradients gradients_;                  ///< where the program computes
  std::optional<state::ShardSums> shard_sums_;  ///< in deterministic mode
  std::string schema_;
  state::DigestOf digest_of_ = state::DigestOf::samples;
  state::Buffers buffers_ = state::Buffers::own;
  std::function<int()> update_;
  std::uint32_t loads_ahead_ = 0;
  std::function<void()> begins_soon_;
  std::shared_ptr<comm::Device> device_;  ///< the program's GPU
  void* stream_ = nullptr;
  std::string error_;
  Whereabouts whereabouts_;

  std::mutex mutex_;  ///< for what follows, up to the threads
  std::condition_variable changed_;
  generation::Session session_;
  std::deque<generation::session::Action>
      actions_;  ///< decided, not yet carried out
  bool performing_ = false;
  bool stopping_ = false;  ///< StopPlanes is not yet answered
  int busy_ = 0;
  int foretelling_ = 0;  ///< calls of begins_soon_ under way
  std::deque<Task> tasks_;
  std::optional<generation::session::Reduce>
      reduce_;  ///< to be done, or being done
  state::Readiness ready_;
  std::shared_ptr<Feeder> feeder_;  ///< while joiners follow
  double update_s_ = 0;             ///< that the registered update last took
  bool reducer_runs_ = false;
  double last_end_s_ = 0;      ///< when the step before was complete
  double reduce_began_s_ = 0;  ///< gleaner_reduce() was called; 0: not yet
  std::optional<Answer> answer_;
  bool welcome_ = false;
  bool loaded_ = false;  ///< the coordinator knows what is registered
  int lost_code_ = 0;    ///< not 0: it is over
  std::string lost_why_;

  // Of the user's thread.
  Phase phase_ = Phase::registering;
  bool applied_ = false;       ///< gleaner_apply() was called in this step
  msg::Step tried_again_ = 0;  ///< the last one in which memory was missing
  generation::session::BeginStep step_;
  std::uint64_t share_ = 0;  ///< of this member's in the step, from 0
  std::vector<std::uint64_t> samples_;

  asio::io_context io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  DataService data_;
  std::unique_ptr<Link> link_;
  Planes planes_;
  Background background_;  ///< ends before what its threads use
  std::future<void> loop_;
};

}  // namespace gleaner::member
