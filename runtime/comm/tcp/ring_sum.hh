// SPDX-License-Identifier: Apache-2.0
/// How nodes in a ring sum a large buffer: each sends 2 (n-1) / n of it.
///
/// The buffer is cut into one chunk for each.  In the first n-1 rounds each
/// chunk travels once around the ring and every node adds its own part; in the
/// next n-1 rounds the finished chunks travel once around.  A chunk is added up
/// in one order and then copied, so all get equal bits.  A round's bytes are
/// sent on as they come and are added, so no round waits for the one before.
#pragma once

#include <vector>

#include "runtime/comm/element.hh"
#include "runtime/comm/tcp/traffic.hh"

namespace gleaner::tcp {

/// What one node sends and receives in each round.
class RingRounds {
 public:
  struct Range {  ///< in bytes
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };

  RingRounds(int position, int size, std::size_t n, std::size_t element_bytes)
      : position_(position), size_(size), n_(n), element_(element_bytes) {}

  int rounds() const { return 2 * (size_ - 1); }
  /// In this round what comes is added; else it is the result.
  bool adds(int round) const { return round < size_ - 1; }
  Range sent(int round) const { return chunk(position_ - round); }
  Range received(int round) const { return chunk(position_ - round - 1); }

 private:
  Range chunk(int number) const {
    std::size_t const c = std::size_t((number % size_ + size_) % size_);
    auto const size = std::size_t(size_);
    auto const first = n_ * c / size, last = n_ * (c + 1) / size;
    return {first * element_, (last - first) * element_};
  }

  int position_, size_;
  std::size_t n_, element_;
};

class RingSum {
 public:
  /// Of the node at `position` of `size`, two or more.
  RingSum(Traffic const& traffic, int position, int size, Link& left,
          Link& right)
      : traffic_(traffic),
        position_(position),
        size_(size),
        left_(left),
        right_(right) {}

  /// As Plane::allreduce(); `sum` may be `local`.
  Result<void> run(std::uint64_t operation, void const* local, void* sum,
                   std::size_t n, Element type);

 private:
  class Run;

  Traffic const& traffic_;
  int const position_, size_;
  Link& left_;
  Link& right_;
  std::vector<char> scratch_;  ///< what came and is not added yet
};

}  // namespace gleaner::tcp
