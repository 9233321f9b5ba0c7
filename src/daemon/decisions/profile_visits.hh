// SPDX-License-Identifier: Apache-2.0
/// How are plans changed for trainings that are measured on purpose?
#pragma once

#include <string>

#include "alloc/allocator.hh"
#include "daemon/decisions/actions.hh"
#include "daemon/decisions/planner.hh"
#include "profile/profile_desk.hh"

namespace gleaner::daemon {

class ProfileVisits {
 public:
  /// `profile_share`, and whether plans heed what is measured at all.
  void configure(Config const& config);

  /// The plan with visits, those that pay now among them.  What begins and ends
  /// is recorded in `out`.
  alloc::Plan change(alloc::Plan plan, PlanInput const& input,
                     alloc::Problem const& problem, alloc::Allocator& allocator,
                     Actions* out);

  /// Why a training is or is not measured on purpose, for people.
  std::string why(JobId job) const;

 private:
  void record(profile::VisitEnd const& end, TimeS now, Actions* out) const;

  profile::ProfileDesk desk_{0};
};

}  // namespace gleaner::daemon
