// SPDX-License-Identifier: Apache-2.0
/// When are simulated trainings measured on purpose?
///
/// By the same desk as gleanerd's (profile/profile_desk.hh).
#pragma once

#include <optional>
#include <vector>

#include "alloc/allocator.hh"
#include "profile/profile_desk.hh"
#include "sim/knowledge.hh"

namespace gleaner::sim {

class Visits {
 public:
  /// `share` of the lent node time may be spent; 0: no visits.
  explicit Visits(double share) : share_(share), desk_(share) {}

  /// `plan` with those visits that pay now.
  alloc::Plan change(alloc::Plan plan, alloc::Problem const& problem,
                     std::vector<Trainer> const& trainers,
                     Knowledge const& knowledge, alloc::Allocator& allocator,
                     double now_s);

  /// When the next one is given up, if one is made.
  std::optional<double> next_s() const;

  int made() const { return made_; }  ///< until they were measured
  int given_up() const { return given_up_; }
  double spent_node_s() const { return desk_.budget().spent_node_s(); }

 private:
  void note(profile::VisitEnd const& end);

  double share_;
  profile::ProfileDesk desk_;
  int made_ = 0;
  int given_up_ = 0;
};

}  // namespace gleaner::sim
