// SPDX-License-Identifier: Apache-2.0
/// What a member does to try the operations beside allreduce(), and whether
/// what came of them is right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/comm/comm.hh"

namespace gleaner::comm::test {

class Operations {
 public:
  /// On n numbers; all members have the same seed.
  Operations(Plane& plane, int rank, int size, std::size_t n,
             std::uint64_t seed)
      : plane_(plane), rank_(rank), size_(size), n_(n), seed_(seed) {}

  /// "reduce_scatter", "all_gather", "broadcast", "pairs" or "groups".
  Result<void> run(std::string const& what);

  int wrong() const { return wrong_; }

 private:
  using Numbers = std::vector<std::int64_t>;

  Numbers of(int rank, std::size_t n) const;
  Numbers sum_of(std::vector<int> const& ranks, std::size_t n) const;
  std::vector<std::size_t> cuts() const;
  Result<void> reduce_scatter();
  Result<void> all_gather();
  Result<void> broadcast();
  Result<void> pairs();
  Result<void> groups();

  Plane& plane_;
  int const rank_, size_;
  std::size_t const n_;
  std::uint64_t const seed_;
  int wrong_ = 0;
};

}  // namespace gleaner::comm::test
