// SPDX-License-Identifier: Apache-2.0
/// After a loss: with whom does the training go on, and from which step?
///
/// All that are left are asked to become quiet and to say how far they got.
/// The training goes on from the furthest: a member that is one step behind
/// takes that step's reduction whole; a step that is begun keeps its plan
/// without the lost members.
#pragma once

#include <map>
#include <optional>

#include "runtime/generation/member_ids.hh"

namespace gleaner::generation {

/// How the training goes on.
struct Resumption {
  MemberIds members;  ///< of the next generation, in rank order
  MemberIds full;     ///< all whose state could be a source, members or not
  msg::Step complete = 0;   ///< the last step that is kept
  msg::MemberId donor = 0;  ///< has its reduction
  MemberIds lacking;        ///< members that take it from the donor
  /// Of the step after it, where one of the members has begun it.
  std::optional<msg::StepPlan> plan;
};

class Recovery {
 public:
  /// Quiesce was sent to `asked`, in rank order.
  Recovery(msg::Generation generation, MemberIds asked, double now)
      : generation_(generation), asked_(std::move(asked)), since_s_(now) {}

  msg::Generation generation() const { return generation_; }
  double since_s() const { return since_s_; }
  MemberIds const& asked() const { return asked_; }
  bool has_answered(msg::MemberId id) const { return answers_.count(id) != 0; }
  bool all_have_answered() const { return answers_.size() == asked_.size(); }
  /// Those that said that their state is whole.
  MemberIds with_state() const;

  void answered(msg::MemberId from, msg::Status const& status) {
    answers_[from] = status;
  }
  /// More are lost meanwhile, as when nodes go together; these are left.  Those
  /// are asked once: what they have answered stays true, for nothing moves
  /// before they are told to resume.
  void keep(MemberIds const& live);

  /// Once all have answered.  Only a member that has all steps that were
  /// `recorded`, that is shown outside, may be a source; nullopt: none is left.
  /// Those that are not `staying` take part only where they alone have the last
  /// step.
  std::optional<Resumption> resumption(msg::Step recorded,
                                       MemberIds const& staying) const;

 private:
  msg::Generation generation_;
  MemberIds asked_;
  std::map<msg::MemberId, msg::Status> answers_;
  double since_s_;
};

}  // namespace gleaner::generation
