// SPDX-License-Identifier: Apache-2.0
/// Which samples does each step use, so that each is used once per pass?
///
/// A pass is a permutation of the data set, computed point by point: nobody
/// stores or sends lists.  Every member holds the same Sampler and advances it
/// alike, so a step's samples are a function of the members and of the state
/// before it.  *Positions* are indices into the permutation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/result.hh"
#include "proto/runtime_messages.hh"

namespace gleaner::generation {

/// Sorted, disjoint, not empty, not touching.
using Positions = std::vector<msg::Interval>;

std::uint64_t count(Positions const& positions);

/// The union of two disjoint sets of positions.
Positions merged(Positions const& a, Positions const& b);

/// All but the first n of them.
Positions without_first(Positions positions, std::uint64_t n);

/// Slots [floor(rank T/n), floor((rank+1) T/n)) of the T positions: what
/// member `rank` of `n` computes.  Empty for some members when T < n.
Positions share_of(Positions const& taken, std::size_t rank, std::size_t n);

/// The finaliser of splitmix64: every input bit changes every output bit.
std::uint64_t mixed(std::uint64_t value);

/// A permutation of [0, size) that is computed point by point: a keyed Feistel
/// network, walked until it lands inside.
class Permutation {
 public:
  Permutation(std::uint64_t size, std::uint64_t seed, std::uint64_t pass);

  /// The sample at a position; position < size.
  std::uint64_t at(std::uint64_t position) const;

 private:
  std::uint64_t shuffled(std::uint64_t value) const;

  std::uint64_t size_;
  unsigned half_bits_;
  std::uint64_t keys_[4];
};

/// What gleaner_options says about the data; equal on all members.
struct SamplerOptions {
  std::uint64_t dataset_size = 1;
  std::uint32_t global_batch = 1;
  std::uint32_t passes = 1;
  std::uint64_t seed = 0;
  bool drop_last = false;  ///< a pass's last step, if short, is not taken
};

/// Refuses what leaves nothing to train on, and steps too large to be counted.
Result<void> check(SamplerOptions const& options);

/// The positions not yet planned.
class Sampler {
 public:
  /// Options must be valid, see check().
  explicit Sampler(SamplerOptions options);

  SamplerOptions const& options() const { return options_; }

  /// No step is left in any pass.
  bool done() const;

  /// The next step's positions: handed-back ones first.  Enters the next pass
  /// when this one has none left.  Not to be called when done().
  Positions take();

  /// Positions taken by the last take() that were not computed after all.
  void give_back(Positions const& positions);

  /// Of the last take(); 0 before the first.
  std::uint64_t pass() const { return pass_; }
  /// Taken and not handed back, over all passes.
  std::uint64_t samples_seen() const { return samples_seen_; }
  /// Left out by drop_last, over all passes.
  std::uint64_t dropped() const;

  /// State only; the options are the program's own on every member.
  nlohmann::json to_json() const;
  /// Fails with invalid_argument when the state cannot be of these options.
  static Result<Sampler> parse(SamplerOptions options,
                               nlohmann::json const& json);

  bool operator==(Sampler const& other) const;

 private:
  std::uint64_t left_in_pass() const;
  bool pass_is_over() const;

  SamplerOptions options_;
  std::uint64_t pass_ = 0;
  std::uint64_t next_ = 0;  ///< first position never planned
  Positions back_;          ///< handed back, all below next_
  std::uint64_t samples_seen_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace gleaner::generation
