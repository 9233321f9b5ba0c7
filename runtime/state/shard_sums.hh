// SPDX-License-Identifier: Apache-2.0
/// Deterministic mode: how do the gradients of a step's shards become one
/// gradient that does not depend on which member computed which shard?
///
/// The program computes each shard's gradient in the same memory (`work`).
/// keep() copies it aside, because the power of two that a parameter's
/// gradients are counted in (runtime/state/fixed_point.hh) is known only when
/// all members' shards are.  The first bucket brings it: beside its words it
/// has a place for each parameter and shard, which the member that computed the
/// shard fills with the magnitude, and all others with 0.  Then the kept
/// gradients are added up as integers, and the other buckets sum those.
///
/// L is the integers here, and R their sums and the magnitudes: each member's
/// R is equal to the last bit, and enough to take the result from.
///
/// Memory, beside the program's: what is kept, a gradient for each of the
/// member's shards of a step; and 16 bytes for each number of the gradient.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/result.hh"
#include "runtime/state/fixed_point.hh"
#include "runtime/state/gradients.hh"
#include "runtime/state/registry.hh"

namespace gleaner::state {

class ShardSums {
 public:
  explicit ShardSums(std::uint32_t shards) : shards_(shards) {}

  /// This parameter's gradient is computed in `work`, which stays where it is.
  /// Fails as Gradients::add() does, and with invalid_argument for one on a
  /// device: sums are the processor's.  Only before seal().
  Result<void> add(Tensor const& parameter, void* work);

  /// Once, when all is registered.  Fails with invalid_argument when there are
  /// too many shards for that many parameters.
  Result<void> seal();

  /// A step begins: nothing is kept.
  void clear();

  /// This shard's gradient is complete in `work`.
  void keep(std::uint32_t shard);

  /// Right before the first bucket: say how large what is kept is.
  void write_magnitudes();

  /// The first bucket is complete: add up what is kept.
  void add_up(std::int64_t step);

  /// `work` = R(step), once it is complete.
  Result<void> take_result(std::int64_t step) const;

  /// L and R, to be reduced.
  Gradients& sums() { return sums_; }
  Gradients const& sums() const { return sums_; }

 private:
  struct Parameter {
    std::string name;
    comm::Element type;
    std::size_t n;  ///< numbers
    void* work;
    std::int64_t* sum;   ///< of what is kept here
    std::size_t offset;  ///< in what is kept of a shard, in bytes
  };
  struct Kept {
    std::vector<char> gradients;
    std::vector<Magnitude> magnitudes;  ///< by parameter
  };

  Magnitude largest(std::size_t parameter, std::int64_t step) const;

  std::uint32_t const shards_;
  Gradients sums_;
  std::vector<Parameter> parameters_;
  std::size_t bytes_ = 0;         ///< of one shard's gradients
  double* magnitudes_ = nullptr;  ///< by parameter and shard, in sums_
  std::map<std::uint32_t, Kept> kept_;
  std::vector<std::vector<char>> spare_;  ///< for what will be kept
};

}  // namespace gleaner::state
