// SPDX-License-Identifier: Apache-2.0
/// A step, as the program goes through it: the calls of gleaner.h after the
/// start.
#include <utility>

#include "core/clock.hh"
#include "core/importance.hh"
#include "runtime/member/member.hh"

namespace gleaner::member {
namespace {

double seconds_now() { return SystemClock().monotonic_s(); }

}  // namespace

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
  if (std::holds_alternative<generation::session::Leave>(answer) ||
      std::holds_alternative<generation::session::Done>(answer)) {
    phase_ = Phase::over;
    return std::holds_alternative<generation::session::Done>(answer)
               ? GLEANER_DONE
               : GLEANER_LEAVE;
  }
  if (auto const* step = std::get_if<generation::session::BeginStep>(&answer)) {
    lock.unlock();
    if (auto begun = begin(*step); !begun) return device_failed(begun.error());
    return inside == Inside::reduce ? GLEANER_MORE : GLEANER_STEP;
  }
  if (auto const* result =
          std::get_if<generation::session::ApplyReduction>(&answer)) {
    lock.unlock();
    applied_ = false;
    feed_step(*result);
    auto const taken =
        shard_sums_ ? shard_sums_->take_result(result->step)
                    : gradients_.take_result(result->step, result->scale);
    if (!taken) return device_failed(taken.error());
    whereabouts_.step_completed(seconds_now());
    phase_ = Phase::reduced;
  } else {
    phase_ = Phase::between;
  }
  return GLEANER_OK;
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
  if (phase_ == Phase::reduced && !applied_) no_update_made();
  perform(session_.want_step());
  auto const code = wait(lock, Inside::step);
  if (code == GLEANER_STEP) fill(info);
  return code;
}

std::vector<std::uint64_t> Member::samples_at(
    std::uint64_t pass, generation::Positions const& positions) const {
  std::vector<std::uint64_t> samples;
  generation::Permutation const order(options_.dataset_size, options_.seed,
                                      pass);
  for (auto const& range : positions)
    for (auto at = range.first; at < range.last; ++at)
      samples.push_back(order.at(at));
  return samples;
}

Result<void> Member::begin(generation::session::BeginStep const& step) {
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
  auto const of_step = generation::mixed(
      options_.seed ^ generation::mixed(std::uint64_t(step_.step)));
  if (environment_.rules.shards)
    return generation::mixed(of_step + 1 + step_.shard);
  return share_ > 0 ? generation::mixed(of_step + share_) : of_step;
}

int Member::step_now(gleaner_step_info& info) {
  if (phase_ != Phase::computing && phase_ != Phase::reduced)
    return fail(GLEANER_ESTATE, "there is no step now");
  fill(info);
  return GLEANER_OK;
}

int Member::samples_ahead(std::uint32_t ahead,
                          std::vector<std::uint64_t>& samples) {
  Lock lock(mutex_);
  // Foretold to a thread of ours: the phase is the user's thread's alone, which
  // may make updates meanwhile.
  bool const now = foretelling_ > 0 || phase_ == Phase::computing;
  if (!now || ahead == 0)
    return fail(GLEANER_ESTATE,
                "gleaner_samples_ahead() of no step, or outside of one");
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

int Member::again(std::uint64_t micro_batch_max) {
  if (phase_ != Phase::computing)
    return fail(GLEANER_ESTATE,
                "gleaner_again() without a step from gleaner_step()");
  if (shard_sums_ || micro_batch_max == 0)
    return fail(GLEANER_EINVAL,
                shard_sums_ ? "gleaner_again() in deterministic mode (a shard "
                              "is computed at once) [use more shards]"
                            : "gleaner_again() with micro_batch_max 0");
  if (auto joined = join(); !joined) return device_failed(joined.error());
  Lock lock(mutex_);
  if (ready_.all_ready())
    return fail(
        GLEANER_ESTATE,
        "gleaner_again() after all gradients were said to be ready (the "
        "step may be reduced)");
  auto actions = session_.want_again(micro_batch_max);
  if (!actions) return fail(GLEANER_ESTATE, actions.error().message);
  reduce_.reset();  // what is not on its way yet
  tried_again_ = step_.step;
  perform(std::move(*actions));
  return wait(lock, Inside::reduce);
}

int Member::apply() {
  if (phase_ != Phase::reduced)
    return fail(GLEANER_ESTATE, "gleaner_apply() before gleaner_reduce()");
  if (!update_) return GLEANER_OK;
  auto const began_s = seconds_now();
  auto const code = update_();
  applied_ = true;
  {
    Lock lock(mutex_);
    update_s_ = seconds_now() - began_s;
  }
  return code == 0 ? GLEANER_OK
                   : fail(GLEANER_EINVAL, "the registered update returned " +
                                              std::to_string(code));
}

int Member::stop() {
  if (phase_ != Phase::reduced)
    return fail(GLEANER_ESTATE,
                "gleaner_stop() outside of gleaner_reduce() and "
                "gleaner_step()");
  Lock lock(mutex_);
  session_.stop();
  return GLEANER_OK;
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
  double const left_s = why.empty() ? 0 : limit_s;
  whereabouts_.busy(std::move(why), seconds_now() + left_s);
  return GLEANER_OK;
}

int Member::set_weight(double weight) {
  if (!is_weight(weight))
    return fail(GLEANER_EINVAL, "gleaner_set_weight(" + weight_text(weight) +
                                    "): expected " + weight_text(weight_least) +
                                    " to " + weight_text(weight_most));
  post(msg::Weight{weight});
  return GLEANER_OK;
}

}  // namespace gleaner::member
