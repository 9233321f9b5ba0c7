// SPDX-License-Identifier: Apache-2.0
/// Which buckets of this step's local gradients are complete here.
///
/// A program that says so parameter by parameter, while its backward pass
/// runs, has a bucket reduced as soon as all parameters in it are ready; one
/// that does not has them all ready when it calls gleaner_reduce().
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gleaner::state {

class Readiness {
 public:
  /// By parameter, the buckets that hold a part of its gradient.
  using Parts = std::map<std::string, std::vector<std::size_t>>;

  void lay_out(std::size_t buckets, Parts parts) {
    parts_ = std::move(parts);
    waits_for_.assign(buckets, 0);
    begin();
  }

  /// A step begins: no gradient is ready.
  void begin() {
    waits_for_.assign(waits_for_.size(), 0);
    for (auto const& [name, buckets] : parts_)
      for (auto const bucket : buckets) ++waits_for_[bucket];
    some_empty_ = false;
    for (auto const parameters : waits_for_) some_empty_ |= parameters == 0;
    marked_.clear();
    all_ = false;
  }

  bool knows(std::string const& name) const { return parts_.count(name) != 0; }

  /// This gradient is complete; once or more often in a step.  Only of one
  /// that is known.  True when a bucket became ready by it.
  bool mark(std::string const& name) {
    if (!marked_.insert(name).second) return false;
    bool any = some_empty_ && marked_.size() == 1;
    for (auto const bucket : parts_.at(name)) any |= --waits_for_[bucket] == 0;
    return any;
  }

  void mark_all() { all_ = true; }

  bool all_ready() const {
    for (std::size_t i = 0; i < waits_for_.size(); ++i)
      if (!ready(i)) return false;
    return true;
  }

  /// One without gradients is when another may be: before that the program may
  /// still compute the step again.
  bool ready(std::size_t bucket) const {
    return all_ || (waits_for_[bucket] == 0 && !marked_.empty());
  }

 private:
  Parts parts_;
  std::vector<std::size_t> waits_for_;  ///< parameters, by bucket
  bool some_empty_ = false;             ///< bucket
  std::set<std::string> marked_;
  bool all_ = false;
};

}  // namespace gleaner::state
