// SPDX-License-Identifier: Apache-2.0
/// How nodes sum a small buffer: all of it at once, with log2(n) partners in
/// turn (recursive doubling).
///
/// After the round with the partner 2^k positions away, a group of 2^(k+1)
/// nodes has one sum.  Both partners add the lower group's sum and the upper
/// one's in this order, so all get equal bits.  Where n is no power of two,
/// pairs of nodes act as one: the first gives its part to the second, and gets
/// the sum.
#pragma once

#include <functional>
#include <vector>

#include "runtime/comm/element.hh"
#include "runtime/comm/tcp/traffic.hh"

namespace gleaner::comm::tcp {

class DoublingSum {
 public:
  using LinkTo = std::function<Link&(int position)>;

  DoublingSum(Traffic const& traffic, int position, int size, LinkTo link_to)
      : traffic_(traffic),
        position_(position),
        size_(size),
        link_to_(std::move(link_to)) {}

  /// As Plane::allreduce(); `sum` may be `local`.
  Result<void> run(std::uint64_t operation, void const* local, void* sum,
                   std::size_t n, Element type);

 private:
  Traffic const& traffic_;
  int const position_, size_;
  LinkTo const link_to_;
  std::vector<char> scratch_;
};

}  // namespace gleaner::comm::tcp
