// SPDX-License-Identifier: Apache-2.0
/// How long did the training stand still for a resize?
///
/// Stall = the longest step around the switch minus the median step before it.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "proto/runtime_messages.hh"

namespace gleaner::generation {

struct Resize {
  msg::Generation generation = 0;
  std::string kind;
  int from = 0;  ///< nodes
  int to = 0;
  double prepare_s = 0;
  msg::Step first = 0;  ///< first step in the new generation
  double stall_s = 0;
};

class ResizeCost {
 public:
  /// A resize is over; its cost is known some steps later.  One that was still
  /// being measured is to be taken first.
  void begin(Resize resize) { open_ = std::move(resize); }

  /// A step was recorded.  A duration of 0 is not known, and not counted.
  void step(msg::Step step, double duration_s);

  /// The resize with its stall, once enough steps have followed.
  std::optional<Resize> take_measured();
  /// The resize with the stall as far as known: nothing more will follow.
  std::optional<Resize> take_unfinished();

 private:
  struct Duration {
    msg::Step step;
    double duration_s;
  };
  double stall_s(msg::Step first) const;

  std::optional<Resize> open_;
  std::deque<Duration> recent_;
};

}  // namespace gleaner::generation
