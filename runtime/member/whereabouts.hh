// SPDX-License-Identifier: Apache-2.0
/// Where is the user's thread, since when, and has it said that it takes long?
#pragma once

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

#include "proto/runtime_messages.hh"

namespace gleaner::member {

/// Told by the user's thread and asked by the one that sends heartbeats, which
/// must not wait for anything that takes long: a lock of its own.  Times are
/// seconds on any clock that does not go back.
class Whereabouts {
 public:
  enum class At { program, reduction, library };

  explicit Whereabouts(double now) : since_s_(now) {}

  void enter(At at, double now) { swap(at, now); }

  /// The same, and where it was before.
  At swap(At at, double now) {
    std::lock_guard lock(mutex_);
    count(now);
    since_s_ = now;
    return std::exchange(at_, at);
  }

  /// Its reduction begins again: only from now on others can be late.
  void reduction_ordered(double now) {
    std::lock_guard lock(mutex_);
    if (at_ != At::reduction) return;
    count(now);
    since_s_ = now;
  }

  void step_given(msg::Step step) {
    std::lock_guard lock(mutex_);
    step_ = step;
  }

  /// The times of the step are told from now on.
  void step_completed(double now) {
    std::lock_guard lock(mutex_);
    count(now);
    counted_s_ = now;
    ++steps_;
    told_ = spent_;
  }

  /// Until this time; `why` empty: not any more, since this time.  What it was
  /// busy for does not count against it afterwards.
  void busy(std::string why, double until_s) {
    std::lock_guard lock(mutex_);
    busy_ = std::move(why);
    busy_until_s_ = until_s;
  }

  msg::Alive report(double now) const {
    std::lock_guard lock(mutex_);
    msg::Alive alive;
    alive.at = at_ == At::program     ? "program"
               : at_ == At::reduction ? "reduction"
                                      : "library";
    alive.for_s = now - std::max(since_s_, std::min(busy_until_s_, now));
    alive.step = step_;
    alive.steps = steps_;
    alive.computed_s = told_.program_s;
    alive.waited_s = told_.reduction_s;
    alive.busy = busy_;
    alive.busy_left_s =
        busy_.empty() || busy_until_s_ < now ? 0 : busy_until_s_ - now;
    return alive;
  }

 private:
  /// Since the process began.
  struct Spent {
    double program_s = 0;
    double reduction_s = 0;
  };

  /// Where the thread is it has been until now.
  void count(double now) {
    double const spent_s = now - std::max(since_s_, counted_s_);
    if (at_ == At::program) spent_.program_s += spent_s;
    if (at_ == At::reduction) spent_.reduction_s += spent_s;
  }

  std::mutex mutable mutex_;
  At at_ = At::program;
  double since_s_;
  double counted_s_ = 0;  ///< the last step was completed
  Spent spent_, told_;    ///< so far; in completed steps
  msg::Step step_ = 0;
  std::uint64_t steps_ = 0;
  std::string busy_;
  double busy_until_s_ = 0;
};

}  // namespace gleaner::member
