// SPDX-License-Identifier: Apache-2.0
/// Was every sample of the data seen exactly once in every pass?
///
/// A step takes positions of its pass's permutation; each position stands for
/// one sample.  A rollback undoes the steps after the one it names: only what
/// is still in the state of the training counts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "proto/runtime_messages.hh"

namespace gleaner::cli {

class SampleAudit {
 public:
  /// What is told begins in the middle of `pass`: nothing can be said to be
  /// missing of it, and of those before.
  void begin_within(std::uint64_t pass) { first_whole_pass_ = pass + 1; }

  /// A step became part of the training's state.
  void step(msg::Step step, std::uint64_t pass,
            std::vector<msg::Interval> const& taken);

  /// The training went back to the state after `to_step`.
  void rollback(msg::Step to_step);

  struct Findings {
    std::uint64_t samples = 0;     ///< taken, over all passes
    std::uint64_t duplicates = 0;  ///< taken again in the same pass
    std::uint64_t missing = 0;     ///< passed over
    std::uint64_t undone = 0;      ///< taken, but undone by a rollback
    std::uint64_t passes = 0;      ///< finished
  };

  /// `dataset_size`: samples in a pass.  A pass that a later one follows must
  /// be whole; in the last one nothing may be left out below the highest
  /// position taken.
  Findings findings(std::uint64_t dataset_size) const;

 private:
  struct Taken {
    std::uint64_t pass = 0;
    std::vector<msg::Interval> positions;
  };
  std::multimap<msg::Step, Taken> steps_;
  std::uint64_t undone_ = 0;
  std::uint64_t first_whole_pass_ = 0;
};

}  // namespace gleaner::cli
