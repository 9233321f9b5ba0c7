// SPDX-License-Identifier: Apache-2.0
/// What each member of a ring sends and receives, when, to sum a buffer.
///
/// The buffer is cut into one chunk per member.  In the first n-1 rounds each
/// chunk travels once around the ring and every member adds its own part; in
/// the next n-1 rounds the finished chunks travel once around.  A chunk is
/// added up in one order and then copied, so all members get equal bits.
/// Chunks are cut into segments, so that adding one overlaps with moving the
/// next.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace gleaner {

class RingPlan {
 public:
  struct Range {  ///< in bytes
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };
  struct Step {
    Range send;               ///< to right()
    Range receive;            ///< from left()
    bool from_local = false;  ///< what is sent is the member's own part
    bool add = false;         ///< sum = local + received; else sum = received
  };

  RingPlan(int rank, int size, std::size_t n, std::size_t element_bytes)
      : rank_(rank), size_(size), n_(n), element_(element_bytes) {
    assert(size >= 2 && rank >= 0 && rank < size);
    auto const chunk = (n + size - 1) / size;
    segments_ = std::max<std::size_t>(
        1, (chunk * element_ + segment_bytes_max - 1) / segment_bytes_max);
    segment_ = (chunk + segments_ - 1) / segments_ * element_;
  }

  int left() const { return (rank_ + size_ - 1) % size_; }
  int right() const { return (rank_ + 1) % size_; }
  std::size_t bytes() const { return n_ * element_; }
  std::size_t segment_bytes() const { return segment_; }  ///< the longest
  std::size_t steps() const { return 2 * (size_ - 1) * segments_; }

  /// How many steps may be begun before the first of them is finished: what
  /// step i sends was received in step i - segments.
  std::size_t lookahead() const {
    return std::min<std::size_t>(segments_, lookahead_max);
  }

  Step step(std::size_t i) const {
    auto const round = static_cast<int>(i / segments_);
    auto const segment = i % segments_;
    Step step;
    step.add = round < size_ - 1;
    step.from_local = round == 0;
    // The second half begins where the first ended: member r has chunk r+1.
    step.send = range(rank_ - round, segment);
    step.receive = range(rank_ - round - 1, segment);
    return step;
  }

 private:
  static constexpr std::size_t segment_bytes_max = 512 << 10;
  static constexpr std::size_t lookahead_max = 4;

  /// A segment of a chunk; chunks are numbered modulo size, any sign.
  Range range(int chunk, std::size_t segment) const {
    std::size_t const c = (chunk % size_ + size_) % size_;
    auto const first = n_ * c / size_, last = n_ * (c + 1) / size_;
    auto const from = first + (last - first) * segment / segments_;
    auto const to = first + (last - first) * (segment + 1) / segments_;
    return {from * element_, (to - from) * element_};
  }

  int rank_;
  int size_;
  std::size_t n_;
  std::size_t element_;
  std::size_t segments_;
  std::size_t segment_;
};

}  // namespace gleaner
