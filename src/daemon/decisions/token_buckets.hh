// SPDX-License-Identifier: Apache-2.0
/// How much of something each user may have: a burst, and then so much a
/// second, however often he connects.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>

#include "core/cluster.hh"

namespace gleaner::daemon {

/// One bucket of tokens for each uid.  A bucket that is full again is
/// forgotten, so the table holds those of the last burst / per_s seconds only.
class TokenBuckets {
 public:
  struct Rate {
    double burst = 1;  ///< what a full bucket holds
    double per_s = 1;  ///< what comes back
  };
  explicit TokenBuckets(Rate rate) : rate_(rate) {}

  /// Take so many tokens if they are there.  `now_s` never runs backwards by
  /// more than a bucket forgives: time that does is no time passed.
  bool take(Uid uid, double tokens, double now_s) {
    forget_full(now_s);
    auto const [found, added] =
        buckets_.try_emplace(uid, Bucket{rate_.burst, now_s});
    auto& bucket = found->second;
    bucket.left = level(bucket, now_s);
    bucket.at_s = std::max(bucket.at_s, now_s);
    if (bucket.left < tokens) return false;
    bucket.left -= tokens;
    return true;
  }

  /// Users with a bucket that was not full when it was last looked at.
  std::size_t size() const { return buckets_.size(); }

 private:
  struct Bucket {
    double left = 0;
    double at_s = 0;
  };

  double level(Bucket const& bucket, double now_s) const {
    auto const passed_s = std::max(0.0, now_s - bucket.at_s);
    return std::min(rate_.burst, bucket.left + passed_s * rate_.per_s);
  }

  void forget_full(double now_s) {
    if (buckets_.size() < 2 * kept_) return;
    std::erase_if(buckets_, [&](auto const& entry) {
      return level(entry.second, now_s) >= rate_.burst;
    });
    kept_ = std::max(kept_min, buckets_.size());
  }

  static constexpr std::size_t kept_min = 64;
  Rate rate_;
  std::map<Uid, Bucket> buckets_;
  std::size_t kept_ = kept_min;  ///< left by the last cleaning
};

}  // namespace gleaner::daemon
