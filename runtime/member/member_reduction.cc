// SPDX-License-Identifier: Apache-2.0
/// When and where gradients are summed: after the backward pass, or beside it.
#include "core/clock.hh"
#include "runtime/member/feeder.hh"
#include "runtime/member/member.hh"

namespace gleaner::member {

int Member::gradient_ready(std::string const& name) {
  if (phase_ != Phase::computing)
    return fail(GLEANER_ESTATE,
                "gleaner_gradient_ready() without a step from gleaner_step()");
  if (device_)
    if (auto marked = device_->mark(stream_); !marked)
      return device_failed(marked.error());
  Lock lock(mutex_);
  if (!ready_.knows(name))
    return fail(GLEANER_EINVAL, "no parameter '" + name + "' is registered");
  if (!environment_.overlap) return GLEANER_OK;
  // Memory may be missing again: once in a step is enough to disturb others.
  if (tried_again_ == step_.step) return GLEANER_OK;
  if (shard_sums_) return GLEANER_OK;  // a shard is added up when it is whole
  if (!reducer_runs_) {
    reducer_runs_ = true;
    background_.run([this] { run_reducer(); });
  }
  if (ready_.mark(name)) changed_.notify_all();
  return GLEANER_OK;
}

void Member::run_reducer() {
  Lock lock(mutex_);
  try {
    while (!lost_code_) {
      if (!reduce_)
        changed_.wait(lock);
      else if (wait_for_bucket(lock, 0, *reduce_))
        run_reduction(lock);
    }
  } catch (std::exception const& why) {
    if (!lock.owns_lock()) lock.lock();
    give_up(GLEANER_ENOMEM, why.what());
  }
}

/// Whether this reduction is still to be done: it may be stopped, and another
/// ordered, whenever the lock is released.
bool Member::is_wanted(generation::session::Reduce const& reduction) const {
  return !lost_code_ && reduce_ &&
         reduce_->generation == reduction.generation &&
         reduce_->step == reduction.step;
}

bool Member::wait_for_bucket(Lock& lock, std::size_t i,
                             generation::session::Reduce const& reduction) {
  auto const wanted = reduction;  // what it refers to may change
  changed_.wait(lock, [&] { return !is_wanted(wanted) || ready_.ready(i); });
  return is_wanted(wanted);
}

void Member::run_reduction(Lock& lock) {
  auto const reduction = *reduce_;
  auto const words =
      session_.first_bucket_words(reduction.generation, reduction.step);
  auto const plane = planes_.find(reduction.generation);
  if (!words || !plane) {
    reduce_.reset();
    return;
  }
  auto const set =
      sums().set_words({double(words->not_ready), double(words->samples)});
  if (!set) {
    post(msg::MemberError{set.error().message});
    return give_up(GLEANER_EIO, set.error().message);
  }
  if (shard_sums_) shard_sums_->write_magnitudes();
  auto const whole = reduce_buckets(lock, *plane, reduction);
  if (is_wanted(reduction)) reduce_.reset();
  if (whole && *whole) {
    auto const now = SystemClock().monotonic_s();
    generation::session::StepTiming const timing{
        now - last_end_s_, reduce_began_s_ > 0 ? now - reduce_began_s_ : 0,
        update_s_};
    last_end_s_ = now;
    perform(
        session_.reduction_done(reduction.generation, reduction.step, timing));
  } else if (!whole && !plane->at_rest()) {
    // It may write to the next sums, too: the others finish without us.
    post(msg::MemberError{whole.error().message});
    give_up(GLEANER_EIO, whole.error().message);
    perform({});
  } else if (!whole && planes_.find(reduction.generation) == plane) {
    perform(session_.failed(reduction.generation, whole.error().message));
  } else {
    perform({});  // it was stopped
  }
}

/// False: it is not wanted any more.  Fails when the plane does.
Result<bool> Member::reduce_buckets(
    Lock& lock, comm::Plane& plane,
    generation::session::Reduce const& reduction) {
  // The plane may write to sums until it has finished, also while we wait for
  // another bucket.
  ++busy_;
  auto whole = begin_buckets(lock, plane, reduction);
  lock.unlock();
  auto const finished = plane.finish();
  lock.lock();
  --busy_;
  return whole && !finished ? finished.error() : whole;
}

/// As reduce_buckets(), but the last sums may still be under way.
Result<bool> Member::begin_buckets(
    Lock& lock, comm::Plane& plane,
    generation::session::Reduce const& reduction) {
  for (std::size_t i = 0; i < sums().buckets(); ++i) {
    if (!wait_for_bucket(lock, i, reduction)) return false;
    auto const bucket = sums().bucket(i, reduction.step);
    auto const feeder = feeder_;
    lock.unlock();
    // Gradients that are ready may still be on their way on the GPU.
    auto const& device = gradients_.device();
    auto done = device ? device->wait_for_mark() : Result<void>();
    if (done)
      done = plane.begin(bucket.local, bucket.sum, bucket.n, bucket.type);
    // The first bucket says whether there are others; a joiner gets what is
    // there.
    if (done && (i == 0 || feeder)) done = plane.finish();
    if (done && feeder) feeder->reduced(i, reduction.step, bucket);
    lock.lock();
    if (!done) return done.error();
    if (i > 0) continue;
    if (!first_bucket_done(reduction)) return false;
    if (shard_sums_) add_up_shards(lock, reduction.step);
  }
  return true;
}

void Member::add_up_shards(Lock& lock, msg::Step step) {
  lock.unlock();
  shard_sums_->add_up(step);
  lock.lock();
}

Result<void> Member::first_bucket_done(
    generation::session::Reduce const& reduction) {
  auto const words = sums().words(reduction.step);
  auto actions =
      words ? session_.first_bucket_done(reduction.generation, reduction.step,
                                         std::uint64_t(words->not_ready),
                                         std::uint64_t(words->samples))
            : Result<generation::session::Actions>(words.error());
  if (!actions) {
    post(msg::MemberError{actions.error().message});
    give_up(GLEANER_EIO, actions.error().message);
    return actions.error();
  }
  perform(std::move(*actions));
  return {};
}

}  // namespace gleaner::member
