// SPDX-License-Identifier: Apache-2.0
/// What is known of one training's scaling, and what is the allocator told?
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "alloc/speed_outline.hh"
#include "profile/advisor.hh"
#include "profile/learned.hh"
#include "profile/pace.hh"

namespace gleaner::daemon {

/// Speeds on 0, 1, … nodes as multiples of what is expected of one node;
/// `low` and `high` are empty where the speed is taken to be known.
struct Speeds {
  std::vector<double> mean, low, high;
  int nodes_tried = 0;  ///< the largest number that was measured
  std::shared_ptr<alloc::SpeedOutline const> outline = {};  ///< of `mean`
};

class ScalingProfile {
 public:
  enum class Scaling {
    measured,  ///< speeds follow what coordinators report
    assumed,   ///< the built-in guess, whatever they report
  };

  /// Speeds for up to so many nodes are wanted.  True: the allocator is told
  /// something else than before.
  bool update(int nodes_max, Scaling scaling);

  /// What the coordinator measured of the generation in use.
  void add(profile::Pace const& pace, profile::Traits const& traits);

  /// What others of the same family have taught, and this one before
  /// gleanerd was started.  Before add().
  void set_prior(profile::Learned const& others, profile::Learned own);

  /// A resize took so long; `kind` as in msg::Resized.
  void add_resize(std::string const& kind, double prepare_s, double stall_s);

  Speeds const& told() const { return told_; }
  profile::Traits const& traits() const { return traits_; }
  bool is_measured() const { return !paces_.empty(); }
  /// The latest measurement of each number of nodes.
  std::map<int, profile::Pace> const& paces() const { return paces_; }
  profile::Advisor const& advisor() const { return advisor_; }
  profile::Advice advise(int nodes_max) const {
    return advisor_.advise(nodes_max);
  }
  /// By this training alone.
  profile::Learned learned() const {
    return profile::merged(own_before_, advisor_.learned());
  }
  /// From how many before it the prior is.
  int trainings_before() const {
    return advisor_.heeds_prior() ? trainings_before_ : 0;
  }

  /// What resizes have cost; `otherwise` where none was seen.
  profile::ResizeCosts costs(profile::ResizeCosts const& otherwise) const;

 private:
  /// Smoothed exponentially: machines and trainings change.
  struct Cost {
    int seen = 0;
    double mean_s = 0;
    void add(double s);
  };

  void drop_prior();

  profile::Advisor advisor_;
  profile::Traits traits_;
  std::map<int, profile::Pace> paces_;
  profile::Learned prior_;  ///< all that was taught; nothing once it is refuted
  profile::Learned own_before_;
  int trainings_before_ = 0;
  profile::Pace heeded_;  ///< by the speeds that were last worked out
  bool is_due_ = true;    ///< what they are made from has changed
  Speeds told_;
  Cost expand_, shrink_, start_, loss_;
};

}  // namespace gleaner::daemon
