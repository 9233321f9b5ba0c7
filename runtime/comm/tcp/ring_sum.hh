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

namespace gleaner::comm::tcp {

/// Part of a buffer, in bytes.
struct Range {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

/// What one node sends and receives in each round.
class RingRounds {
 public:
  enum class Kind {
    allreduce,
    reduce_scatter,  ///< the first half: each ends with its own chunk
    all_gather,      ///< the second half: each begins with its own
  };

  /// `chunks`: of each position.
  RingRounds(Kind kind, int position, std::vector<Range> chunks)
      : kind_(kind), position_(position), chunks_(std::move(chunks)) {}

  /// As equal as they can be.
  static std::vector<Range> equal_chunks(int size, std::size_t n,
                                         std::size_t element_bytes);

  int rounds() const {
    return kind_ == Kind::allreduce ? 2 * (size() - 1) : size() - 1;
  }
  /// In this round what comes is added; else it is the result.
  bool adds(int round) const {
    return kind_ != Kind::all_gather && round < size() - 1;
  }
  Range sent(int round) const { return chunk(position_ - round - shift()); }
  Range received(int round) const { return sent(round + 1); }

 private:
  int size() const { return int(chunks_.size()); }
  /// The chunk that has been around is the one after the first sent.
  int shift() const { return kind_ == Kind::reduce_scatter ? 1 : 0; }
  Range chunk(int number) const {
    return chunks_[std::size_t((number % size() + size()) % size())];
  }

  Kind const kind_;
  int const position_;
  std::vector<Range> const chunks_;
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

  /// The chunk of this position is in `sum` then; the rest of it is undefined.
  Result<void> reduce_scatter(std::uint64_t operation, void const* local,
                              void* sum, std::vector<Range> chunks,
                              Element type);

  /// `data` has the chunk of this position, and then all of them.
  Result<void> all_gather(std::uint64_t operation, void* data,
                          std::vector<Range> chunks);

  /// What the node at position `root` has in `data`, to all.
  Result<void> spread(std::uint64_t operation, void* data, std::size_t bytes,
                      int root);

 private:
  class Run;

  Traffic const& traffic_;
  int const position_, size_;
  Link& left_;
  Link& right_;
  std::vector<char> scratch_;  ///< what came and is not added yet
};

}  // namespace gleaner::comm::tcp
