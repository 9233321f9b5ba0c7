// SPDX-License-Identifier: Apache-2.0
/// Do the joiners of a change follow, or is the state copied to them?
#pragma once

#include <string>

#include "runtime/generation/member_ids.hh"
#include "runtime/generation/member_table.hh"
#include "runtime/generation/membership_options.hh"

namespace gleaner::generation {

class FollowChoice {
 public:
  explicit FollowChoice(membership::Options const& options)
      : follow_(options.follow),
        backlog_bytes_max_(options.follow_backlog_bytes),
        bytes_per_s_(options.bytes_per_s) {}

  /// A joiner has received state: how fast, between members.
  void measured(msg::StateReceived const& received);

  /// What the training is like: the sizes that the first member registered,
  /// and what steps take; 0: not known yet.
  struct Training {
    msg::Loaded const& schema;
    double step_s = 0;  ///< median
    double update_s = 0;
  };
  /// Why `joiners` must not follow into a generation of `members`, or should
  /// not; "": they do.
  std::string objection(MemberIds const& members, MemberIds const& joiners,
                        MemberTable const& table,
                        Training const& training) const;

 private:
  membership::Options::Follow const follow_;
  double const backlog_bytes_max_;
  double bytes_per_s_;  ///< as chosen, until it is measured
  bool is_measured_ = false;
};

}  // namespace gleaner::generation
