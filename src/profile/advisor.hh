// SPDX-License-Identifier: Apache-2.0
/// How fast is this training on k nodes, and how sure are we?
#pragma once

#include <optional>
#include <vector>

#include "profile/learned.hh"
#include "profile/pace.hh"
#include "profile/step_fit.hh"

namespace gleaner::profile {

/// What the allocator is told of a training's scaling.
struct Advice {
  /// Samples/s on 0, 1, … nodes_max nodes: what is expected, and the ends of
  /// the interval that holds the truth nine times in ten.  Steps/s where the
  /// global batch is not known; multiples of the speed on one node where
  /// nothing was measured, by this training or earlier ones.
  std::vector<double> mean, low, high;
  /// Largest number it was measured on, or an earlier one of its family.
  int nodes_seen_max = 0;
};

/// One of the ways in which a measurement may come out.
struct Outcome {
  double probability = 0;
  Advice advice;  ///< after it
};

/// Learns from the pace of each generation.  A value: it may be copied.
///
///     Advisor advisor;
///     advisor.set_traits({.family = "a", .global_batch = 1024});
///     advisor.add({.generation = 1, .nodes = 4, .members = 4, .steps = 20,
///                  .step_s = 0.3, .compute_s = 0.25, .exposed_s = 0.04});
///     advisor.advise(16).mean[8];
class Advisor {
 public:
  void set_traits(Traits const& traits);
  /// What trainings of the same family have taught.
  void set_prior(Learned const& prior);
  /// The generation's pace so far; replaces what was said of it before.
  /// Ignores what cannot be a pace.
  void add(Pace const& pace);
  Advice advise(int nodes_max) const;
  /// What it would advise once it is measured on `nodes` nodes: as slow, as
  /// expected, as fast as the interval there allows.  Probabilities sum to 1.
  std::vector<Outcome> outlook(int nodes, int nodes_max) const;
  /// Whether what earlier trainings taught still counts: not when this one's
  /// steps turn out to be quite another length.  They do something else then.
  bool heeds_prior() const;
  /// What this training has measured itself, for merged() and set_prior().
  Learned learned() const;

 private:
  enum class Of { this_training, all };
  std::vector<SizeSample> samples(Of whom) const;
  StepFit fit_of(Of whom, StepFit::Start start) const;
  StepTime step_at(int members) const;
  void forget();
  StepFit const& fit() const;

  Traits traits_;
  Learned prior_;
  std::vector<Pace> paces_;             ///< by generation
  mutable std::optional<StepFit> fit_;  ///< of all that counts, once asked
  /// What else it may be, where that cannot be told yet.
  mutable std::optional<StepFit> other_fit_;
  mutable bool prior_is_refuted_ = false;
};

}  // namespace gleaner::profile
