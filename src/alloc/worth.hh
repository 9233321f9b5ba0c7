// SPDX-License-Identifier: Apache-2.0
/// What a number of nodes is worth to a trainer.
#pragma once

#include <vector>

#include "alloc/allocator.hh"
#include "alloc/placement.hh"
#include "alloc/speed_outline.hh"

namespace gleaner::alloc {

/// With C nodes now and r = speed[C] (0 below nodes_min), having k nodes is
/// worth, over the forward-looking time T,
///     f(k) = T · speed[k] − r · (expand_s if k > C, shrink_s if k < C)
/// and what the extras make of it.
class Worth {
 public:
  /// Do weights and deadlines count?
  enum class Wishes { heeded, ignored };

  Worth(Problem const& problem, Extras const& extras,
        Wishes wishes = Wishes::heeded);

  /// Writes f(0), … f(most) for a trainer; most ≤ nodes_max.  A count between
  /// 0 and nodes_min is worth what it earns: nothing.
  void list(Trainer const& trainer, int most, double* worth) const;

  /// What it costs a trainer to get other nodes in place of some it has.
  double swap_cost(Trainer const& trainer) const;

  /// What it earns with nodes_max nodes: the size of the figures to expect.
  double at_most(Trainer const& trainer) const;

 private:
  /// One trainer's list while it is made.
  struct List {
    Trainer const& trainer;
    int most;
    double scale;  ///< what a unit of its speed counts
    double* worth;
  };

  friend class WorthBound;

  double scale(Trainer const& trainer) const;
  void earn(List const& list) const;
  void charge_losses(List const& list) const;
  void charge_resize(List const& list) const;
  void charge_start(List const& list) const;
  void meet_deadline(List const& list) const;

  Problem const& problem_;
  Extras const& extras_;
  Wishes const wishes_;
};

/// What sizes of a trainer can be worth at most.
class WorthBound {
 public:
  /// `extra` is added for each node.
  WorthBound(Worth const& worth, Trainer const& trainer, double extra);

  /// No size of the stretch is worth more than this and price · size.
  double at_most(SpeedOutline::Stretch const& stretch, double price) const;

 private:
  double per_speed_;        ///< what a unit of speed earns
  double loss_share_;       ///< by 1 / (1 + loss_share · size) it is less
  double start_per_speed_;  ///< charged for a unit of speed
  double deadline_;         ///< the most that a deadline adds
  double shrink_, expand_;  ///< what a resize costs
  double extra_;
  int now_;
};

/// For how many seconds one node would be busy with what is left to do.
double work_left_s(Trainer const& trainer);

/// What `plan` is worth by that formula; for tests and reports.
double predicted_gain(Problem const& problem, Plan const& plan,
                      Extras const& extras = Extras::none());

}  // namespace gleaner::alloc
