// SPDX-License-Identifier: Apache-2.0
/// What is the mean, over all members, of a value they logged for a step, and
/// what the largest of theirs?
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "proto/runtime_messages.hh"

namespace gleaner::generation {

struct LogMean {
  msg::Step step = 0;
  std::string key;
  double value = 0;
  double max = 0;  ///< of the members' values
  std::uint64_t n = 0;
};

/// Every member reports a mean over its own samples, when the step is stable;
/// the mean over all is weighted by samples.  Each step is shown once: what
/// comes later is dropped.
class LogMeans {
 public:
  void add(msg::LogValue const& value) {
    if (value.step <= taken_) return;
    auto& sum = sums_[{value.step, value.key}];
    sum.weighted += value.value * double(value.n);
    sum.max = sum.n == 0 ? value.value : std::max(sum.max, value.value);
    sum.n += value.n;
  }

  /// The means of all steps up to `step`, in order, each once.
  std::vector<LogMean> take_until(msg::Step step) {
    std::vector<LogMean> means;
    auto it = sums_.begin();
    for (; it != sums_.end() && it->first.first <= step; ++it)
      if (it->second.n > 0)
        means.push_back({it->first.first, it->first.second,
                         it->second.weighted / double(it->second.n),
                         it->second.max, it->second.n});
    sums_.erase(sums_.begin(), it);
    taken_ = std::max(taken_, step);
    return means;
  }

  /// Steps after this one were undone.
  void forget_after(msg::Step step) {
    sums_.erase(sums_.lower_bound({step + 1, ""}), sums_.end());
    taken_ = std::min(taken_, step);
  }

  bool empty() const { return sums_.empty(); }

 private:
  struct Sum {
    double weighted = 0;
    double max = 0;
    std::uint64_t n = 0;
  };
  std::map<std::pair<msg::Step, std::string>, Sum> sums_;
  msg::Step taken_ = 0;
};

}  // namespace gleaner::generation
