// SPDX-License-Identifier: Apache-2.0
/// What may be chosen of how generations are made: limits, times, checkpoints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "proto/runtime_messages.hh"
#include "runtime/generation/stuck.hh"

namespace gleaner::generation::membership {

/// Where a training may start from.
struct Checkpoint {
  std::string path;
  msg::Step step = 0;
  std::uint64_t samples_seen = 0;
};

/// All times in seconds.
struct Options {
  int nodes_min = 1;  ///< ready nodes needed to start, and to resume
  /// Paths of checkpoints are this, a number and ".safetensors".
  std::string checkpoint_prefix = "checkpoint-";
  double checkpoint_interval_s = 60;  ///< 0: only when parking
  std::optional<Checkpoint> start_from;
  bool deterministic = false;     ///< members must compute with the same
  double prepare_timeout_s = 30;  ///< for planes to connect
  double failure_timeout_s = 10;  ///< for Status
  double connect_timeout_s = 10;  ///< for planes after a loss
  double exit_timeout_s = 5;      ///< for a released member's program to end
  /// A node that must be left within this time is not kept waiting by an
  /// expand: the expand is withdrawn.
  double urgent_s = 20;
  /// Whether joiners get the state before the switch and follow from there.
  enum class Follow { automatic, on, off };
  Follow follow = Follow::automatic;
  double follow_timeout_s = 120;  ///< for joiners to catch up
  double follow_backlog_bytes = 1e9;
  double bytes_per_s = 1e9;  ///< between members, until it is measured
  /// How long the first ready member waits for others that are loading.
  double batch_s = 0.2;
  /// From its start until a member is ready to be let in.
  double load_timeout_s = 600;
  /// No more than this passes between the agreement to a change and the switch,
  /// for members to load ahead; but a step, if a deadline allows.
  double lead_s = 2;
  StuckRule stuck;
};

/// Options whose times all follow from the one that users set; which ones is
/// said in gleaner(1), "TIME LIMITS".
Options with_failure_timeout(double failure_timeout_s);

}  // namespace gleaner::generation::membership
