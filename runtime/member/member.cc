// SPDX-License-Identifier: Apache-2.0
/// The user's thread's side: the calls of gleaner.h.
#include "runtime/member/member.hh"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <utility>

#include "core/clock.hh"
#include "runtime/comm/comm.hh"
#include "runtime/member/fingerprint.hh"

namespace gleaner {
namespace {

constexpr std::chrono::seconds welcome_wait{60};
constexpr std::chrono::milliseconds flush_wait{1500};
/// Beyond this a float32 cannot count the samples of a step exactly.
constexpr std::uint32_t global_batch_max = 1u << 24;

double seconds_now() { return SystemClock().monotonic_s(); }

std::string variable(char const* name, char const* fallback = "") {
  auto const* value = std::getenv(name);
  return value ? value : fallback;
}

/// Well mixed, so that neighbouring steps have nothing in common.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

Result<ShareRules> read_share_rules() {
  ShareRules rules;
  auto const on_loss = variable("GLEANER_ON_LOSS", "short");
  if (on_loss != "short" && on_loss != "recompute")
    return Error{Errc::invalid_argument, "GLEANER_ON_LOSS is '" + on_loss +
                                             "', expected short or recompute"};
  if (on_loss == "recompute") rules.on_loss = OnLoss::recompute;
  auto const shards = variable("GLEANER_DETERMINISTIC");
  if (shards.empty()) return rules;
  auto const* end = shards.data() + shards.size();
  auto const read = std::from_chars(shards.data(), end, rules.shards);
  if (read.ec != std::errc{} || read.ptr != end || rules.shards == 0)
    return Error{Errc::invalid_argument,
                 "GLEANER_DETERMINISTIC is '" + shards +
                     "', expected the number of shards, 1 or more"};
  rules.on_loss = OnLoss::recompute;
  return rules;
}

Result<void> check(SamplerOptions const& options) {
  auto refuse = [](std::string const& what) {
    return Error{Errc::invalid_argument, what};
  };
  if (options.dataset_size == 0) return refuse("dataset_size is 0");
  if (options.passes == 0) return refuse("passes is 0");
  if (options.global_batch == 0 || options.global_batch > global_batch_max)
    return refuse("global_batch is " + std::to_string(options.global_batch) +
                  ", expected 1 to " + std::to_string(global_batch_max));
  if (options.drop_last && options.dataset_size < options.global_batch)
    return refuse("drop_last would drop every sample (dataset_size " +
                  std::to_string(options.dataset_size) + ", global_batch " +
                  std::to_string(options.global_batch) + ")");
  return {};
}

std::string text_of(SamplerOptions const& options, ShareRules const& rules) {
  auto const shards =
      rules.shards ? " shards " + std::to_string(rules.shards) : "";
  return std::to_string(options.dataset_size) + ' ' +
         std::to_string(options.global_batch) + ' ' +
         std::to_string(options.passes) + ' ' + std::to_string(options.seed) +
         ' ' + std::to_string(options.drop_last) + shards;
}

}  // namespace

Result<MemberEnvironment> MemberEnvironment::read() {
  MemberEnvironment environment;
  environment.coordinator = variable("GLEANER_COORDINATOR");
  environment.secret = variable("GLEANER_SECRET");
  environment.node = variable("GLEANER_NODE");
  environment.plane = variable("GLEANER_COMM", "auto");
  environment.address = variable("GLEANER_ADDRESS");
  auto rules = read_share_rules();
  if (!rules) return rules.error();
  environment.rules = *rules;
  auto const overlap = variable("GLEANER_OVERLAP", "1");
  if (overlap != "0" && overlap != "1")
    return Error{Errc::invalid_argument,
                 "GLEANER_OVERLAP is '" + overlap + "', expected 0 or 1"};
  environment.overlap = overlap == "1";
  environment.comm_host = variable("GLEANER_COMM_HOST");
  if (environment.coordinator.empty()) return environment;
  auto const id = variable("GLEANER_MEMBER");
  char* end = nullptr;
  auto const number = std::strtoul(id.c_str(), &end, 10);
  if (id.empty() || *end != '\0' || number > 0xffffffff)
    return Error{Errc::invalid_argument,
                 "GLEANER_MEMBER is '" + id +
                     "', expected a number [start it with 'gleaner run']"};
  environment.member = msg::MemberId(number);
  return environment;
}

Result<std::unique_ptr<Member>> Member::open(SamplerOptions options,
                                             MemberEnvironment environment) {
  if (auto valid = check(options); !valid) return valid.error();
  auto const digest_of = digest_wanted();
  if (!digest_of) return digest_of.error();
  if (environment.address.empty()) {
    auto const& to = environment.coordinator;
    auto own = to.empty() ? Result<std::string>("127.0.0.1")
                          : local_address_towards(to);
    if (!own) return own.error();
    environment.address = *own;
  }
  std::unique_ptr<Member> member(new Member(options, std::move(environment)));
  member->digest_of_ = *digest_of;
  if (auto connected = member->connect(); !connected) return connected.error();
  return member;
}

Member::Member(SamplerOptions options, MemberEnvironment environment)
    : environment_(std::move(environment)),
      options_(options),
      gradients_(shares_memory(environment_.plane) ? Sharing::by_descriptor
                                                   : Sharing::none),
      whereabouts_(seconds_now()),
      session_(environment_.coordinator.empty() ? 1 : environment_.member,
               options, environment_.rules),
      work_(io_.get_executor()),
      data_(io_, environment_.secret, environment_.member),
      planes_(
          background_, environment_.plane,
          {0, 1, environment_.address, nullptr, environment_.comm_host},
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
  hello.planes = planes_available();
  if (!environment_.coordinator.empty()) {
    auto listening = data_.listen(
        environment_.address,
        [this](msg::PullReduction const& request, auto connection) {
          serve_reduction_to(request, std::make_shared<DataService::Connection>(
                                          std::move(connection)));
        });
    if (!listening) return listening.error();
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
  BlockAllSignals in_its_thread;
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

Result<std::shared_ptr<Device>> Member::device(int index) {
  if (index < 0) return std::shared_ptr<Device>();
  if (device_ && device_->index() == index) return device_;
  if (device_)
    return Error{Errc::invalid_argument,
                 "device " + std::to_string(index) + " after device " +
                     std::to_string(device_->index()) +
                     " (a member has one GPU) [start a member for each]"};
  auto const module = gpu_module();
  if (!module) return module.error();
  auto opened = (*module)->open_device(index);
  if (opened) device_ = *opened;
  return opened;
}

int Member::add_on(Tensor tensor, int index) {
  auto found = device(index);
  if (!found) return fail(GLEANER_EINVAL, found.error().message);
  if (*found) tensor.on_device = std::exchange(tensor.data, nullptr);
  tensor.device = *found;
  return add(std::move(tensor));
}

int Member::set_stream(void* stream) {
  stream_ = stream;
  return GLEANER_OK;
}

/// What the program has queued on its stream is done.
Result<void> Member::join() {
  return device_ ? device_->join(stream_) : Result<void>();
}

int Member::register_failed(Error const& why) {
  return fail(why.code == Errc::io ? GLEANER_ENOMEM : GLEANER_EINVAL,
              why.message);
}

int Member::add(Tensor tensor) {
  if (phase_ != Phase::registering)
    return fail(GLEANER_ESTATE, "tensor '" + tensor.name +
                                    "' is registered after gleaner_start()");
  auto const parameter = tensor.role == Role::param;
  if (auto registered = registry_.add(tensor); !registered)
    return register_failed(registered.error());
  if (!parameter) return GLEANER_OK;
  auto const& added = *registry_.find(tensor.name);
  auto gradient = gradients_.add(added);
  if (!gradient) return register_failed(gradient.error());
  if (!shard_sums_) return GLEANER_OK;
  auto summed = shard_sums_->add(added, *gradient);
  return summed ? GLEANER_OK : register_failed(summed.error());
}

int Member::add(Blob blob) {
  if (phase_ != Phase::registering)
    return fail(GLEANER_ESTATE,
                "blob '" + blob.name + "' is registered after gleaner_start()");
  // While it runs the program's code, the user's thread is in the program.
  using At = Whereabouts::At;
  auto const inside = [this](auto call) {
    auto const was = whereabouts_.swap(At::program, seconds_now());
    auto result = call();
    whereabouts_.enter(was, seconds_now());
    return result;
  };
  Blob watched;
  watched.name = blob.name;
  watched.save = [=] { return inside(blob.save); };
  watched.load = [=](std::string const& data) {
    return inside([&] { return blob.load(data); });
  };
  auto added = registry_.add(std::move(watched));
  return added ? GLEANER_OK : register_failed(added.error());
}

int Member::set_update(std::function<int()> update) {
  update_ = std::move(update);
  return GLEANER_OK;
}

void* Member::gradient(std::string const& name) const {
  return gradients_.find(name);
}

/// Until the session has something for the user's thread.  Does meanwhile what
/// only this thread may do.  The code that the call returns.
int Member::wait(Lock& lock, Inside inside) {
  using At = Whereabouts::At;
  whereabouts_.enter(inside == Inside::reduce ? At::reduction : At::library,
                     seconds_now());
  auto const code = wait_for_answer(lock, inside);
  whereabouts_.enter(At::program, seconds_now());
  return code;
}

int Member::wait_for_answer(Lock& lock, Inside inside) {
  for (;;) {
    if (lost_code_) {
      phase_ = Phase::over;
      return fail(lost_code_, lost_why_);
    }
    if (!tasks_.empty()) {
      auto const task = std::move(tasks_.front());
      tasks_.pop_front();
      ++busy_;
      lock.unlock();
      task.run();
      lock.lock();
      --busy_;
      perform({});
    } else if (answer_) {
      break;  // before reductions: one may be of what is still to be computed
    } else if (inside == Inside::reduce && reduce_ && !reducer_runs_) {
      run_reduction(lock);
    } else {
      changed_.wait(lock);
    }
  }
  auto const answer = *std::exchange(answer_, std::nullopt);
  if (std::holds_alternative<session::Leave>(answer) ||
      std::holds_alternative<session::Done>(answer)) {
    phase_ = Phase::over;
    return std::holds_alternative<session::Done>(answer) ? GLEANER_DONE
                                                         : GLEANER_LEAVE;
  }
  if (auto const* step = std::get_if<session::BeginStep>(&answer)) {
    lock.unlock();
    if (auto begun = begin(*step); !begun) return device_failed(begun.error());
    return inside == Inside::reduce ? GLEANER_MORE : GLEANER_STEP;
  }
  if (auto const* result = std::get_if<session::ApplyReduction>(&answer)) {
    lock.unlock();
    auto const taken =
        shard_sums_ ? shard_sums_->take_result(result->step)
                    : gradients_.take_result(result->step, result->scale);
    if (!taken) return device_failed(taken.error());
    whereabouts_.step_completed();
    phase_ = Phase::reduced;
  } else {
    phase_ = Phase::between;
  }
  return GLEANER_OK;
}

int Member::start() {
  if (phase_ != Phase::registering)
    return fail(GLEANER_ESTATE, "gleaner_start() was called before");
  auto const sealed = shard_sums_ ? shard_sums_->seal() : gradients_.seal();
  if (!sealed) return register_failed(sealed.error());
  if (auto joined = join(); !joined) return device_failed(joined.error());
  schema_ = registry_.schema(text_of(options_, environment_.rules));
  msg::Loaded loaded;
  loaded.member = environment_.member;
  loaded.schema = schema_;
  loaded.state_bytes = registry_.bytes();
  loaded.dataset_size = options_.dataset_size;
  loaded.fingerprint = fingerprint();
  Lock lock(mutex_);
  ready_.lay_out(sums().buckets(), sums().parts());
  planes_.set_device(gradients_.device());
  planes_.share(gradients_.regions());
  post(loaded);
  loaded_ = true;
  perform(session_.want_start());
  auto const code = wait(lock, Inside::start);
  if (!lock.owns_lock()) lock.lock();
  last_end_s_ = seconds_now();
  return code;
}

int Member::step(gleaner_step_info& info) {
  if (phase_ != Phase::between && phase_ != Phase::reduced)
    return fail(GLEANER_ESTATE,
                phase_ == Phase::computing
                    ? "gleaner_step() before gleaner_reduce() of this step"
                    : "gleaner_step() outside of a training");
  // The update is over: state may be sent, and gradients become zero.
  if (auto joined = join(); !joined) return device_failed(joined.error());
  Lock lock(mutex_);
  perform(session_.want_step());
  auto const code = wait(lock, Inside::step);
  if (code == GLEANER_STEP) fill(info);
  return code;
}

std::vector<std::uint64_t> Member::samples_at(
    std::uint64_t pass, Positions const& positions) const {
  std::vector<std::uint64_t> samples;
  Permutation const order(options_.dataset_size, options_.seed, pass);
  for (auto const& range : positions)
    for (auto at = range.first; at < range.last; ++at)
      samples.push_back(order.at(at));
  return samples;
}

Result<void> Member::begin(session::BeginStep const& step) {
  step_ = step;
  samples_ = samples_at(step.pass, step.positions);
  share_ = step.more ? share_ + 1 : 0;
  if (!step.more && shard_sums_) shard_sums_->clear();
  whereabouts_.step_given(step.step);
  phase_ = Phase::computing;
  // Shards are added up apart, other shares where they are computed.
  return step.more && !shard_sums_ ? Result<void>() : gradients_.clear();
}

void Member::fill(gleaner_step_info& info) const {
  info.step = std::uint64_t(step_.step);
  info.pass = step_.pass;
  info.samples = samples_.data();
  info.n_samples = samples_.size();
  info.global_batch = std::uint32_t(step_.global_batch);
  info.samples_seen = step_.samples_seen;
  info.world_size = step_.world;
  info.rank = step_.rank;
  info.rng_seed = rng_seed();
  info.shards = environment_.rules.shards;
}

/// Of a member's share; in deterministic mode of a shard, whose ever it is.
std::uint64_t Member::rng_seed() const {
  auto const of_step = mixed(options_.seed ^ mixed(std::uint64_t(step_.step)));
  if (environment_.rules.shards) return mixed(of_step + 1 + step_.shard);
  return share_ > 0 ? mixed(of_step + share_) : of_step;
}

int Member::step_now(gleaner_step_info& info) {
  if (phase_ != Phase::computing && phase_ != Phase::reduced)
    return fail(GLEANER_ESTATE, "there is no step now");
  fill(info);
  return GLEANER_OK;
}

int Member::samples_ahead(std::uint32_t ahead,
                          std::vector<std::uint64_t>& samples) {
  if (phase_ != Phase::computing || ahead == 0)
    return fail(GLEANER_ESTATE,
                "gleaner_samples_ahead() of no step, or outside of one");
  Lock lock(mutex_);
  auto const forecast = session_.foresee(ahead);
  if (!forecast) return GLEANER_DONE;
  samples = samples_at(forecast->pass, forecast->positions);
  return GLEANER_OK;
}

int Member::reduce() {
  if (phase_ != Phase::computing)
    return fail(GLEANER_ESTATE,
                "gleaner_reduce() without a step from gleaner_step()");
  if (auto joined = join(); !joined) return device_failed(joined.error());
  if (shard_sums_ && !samples_.empty()) shard_sums_->keep(step_.shard);
  Lock lock(mutex_);
  ready_.mark_all();
  reduce_began_s_ = seconds_now();
  perform(session_.want_reduction());
  return wait(lock, Inside::reduce);
}

int Member::apply() {
  if (phase_ != Phase::reduced)
    return fail(GLEANER_ESTATE, "gleaner_apply() before gleaner_reduce()");
  if (!update_) return GLEANER_OK;
  auto const code = update_();
  return code == 0 ? GLEANER_OK
                   : fail(GLEANER_EINVAL, "the registered update returned " +
                                              std::to_string(code));
}

int Member::log(std::string key, double value, std::uint64_t n) {
  if (phase_ != Phase::computing && phase_ != Phase::reduced)
    return fail(GLEANER_ESTATE, "gleaner_log() outside of a step");
  Lock lock(mutex_);
  session_.log(std::move(key), value, n);
  return GLEANER_OK;
}

int Member::busy(std::string why, double limit_s) {
  if (!why.empty() && !(limit_s > 0))
    return fail(GLEANER_EINVAL, "gleaner_busy('" + why + "'): limit_s is " +
                                    std::to_string(limit_s) +
                                    ", expected more than 0");
  whereabouts_.busy(std::move(why), seconds_now() + limit_s);
  return GLEANER_OK;
}

}  // namespace gleaner
