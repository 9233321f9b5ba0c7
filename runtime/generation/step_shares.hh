// SPDX-License-Identifier: Apache-2.0
/// Who computes which part of a step, also when members are lost in it?
///
/// A function of the step's plan, so that all members agree without a word.
/// What a member was given it keeps: a further loss only adds to it.
#pragma once

#include <cstdint>
#include <vector>

#include "proto/runtime_messages.hh"
#include "runtime/generation/sampler.hh"

namespace gleaner::generation {

/// What becomes of the samples that a lost member had in a step.
enum class OnLoss {
  short_step,  ///< a later step has them; this one is the mean of the others
  recompute,   ///< the survivors compute them, in this step
};

/// How steps are shared; equal on all members.
struct ShareRules {
  OnLoss on_loss = OnLoss::short_step;
  /// Deterministic mode: every step is cut into so many shards, no matter who
  /// computes them, and one share is one shard.  Only with recompute.  0: no
  /// shards, a member's part of the step is one share.
  std::uint32_t shards = 0;
};

/// What the plan gives a member at once.  It is computed in one part or in
/// several: see next_part().
struct Share {
  Positions positions;      ///< may be none, in a member's first share
  std::uint32_t shard = 0;  ///< which one, in deterministic mode
  bool operator==(Share const&) const = default;
};

struct StepShares {
  std::vector<Share> mine;  ///< one or more; those of later losses come last
  Positions committed;      ///< by all members that are not gone
  Positions handed_back;    ///< to the sampler
};

/// The positions `taken` for a step, as `plan` shares them; `self` may be no
/// member of it.
StepShares shares_of_step(msg::StepPlan const& plan, Positions const& taken,
                          ShareRules const& rules, msg::MemberId self);

/// How far a member has got with its shares of a step.
struct Progress {
  std::size_t shares = 0;     ///< handed out to the last sample
  std::uint64_t samples = 0;  ///< handed out of the share after those
  bool operator==(Progress const&) const = default;
};

/// The next part of `shares`, which is computed by one forward and backward
/// pass: what is left of a share, or, where that is more than `micro_batch_max`
/// samples, the first of parts that are about equal.  0: no limit.  Advances
/// `progress`, which must not be at the end.
///
/// The limit is each member's own, and may change from part to part: how a
/// share is cut changes neither its samples nor, but for the order of
/// additions, its gradient.
Share next_part(std::vector<Share> const& shares, Progress& progress,
                std::uint64_t micro_batch_max);

}  // namespace gleaner::generation
