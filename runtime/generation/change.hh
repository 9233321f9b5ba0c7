// SPDX-License-Identifier: Apache-2.0
/// How far has the one planned change got?
///
/// A generation is prepared beside the one in use, then offered to its members,
/// agreed to by them in a first bucket, switched to at a boundary, and closed
/// when the first first bucket of the new generation is complete.  With joiners
/// that follow it is offered twice: first to feed them; then, when all have
/// caught up, to switch.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "runtime/generation/member_ids.hh"
#include "runtime/generation/member_table.hh"

namespace gleaner::generation {

/// What the change is to come to.
struct ChangePlan {
  msg::Generation generation = 0;
  std::string kind;  ///< start, resume, expand, shrink, mixed, park
  std::string cause;
  MemberIds members;       ///< empty: a park
  MemberIds joiners;       ///< among the members
  std::string checkpoint;  ///< that a park writes
  int nodes_before = 0;
  bool follow = false;   ///< joiners do, and have caught up before the offer
  std::string copy_why;  ///< why they do not
};

class Change {
 public:
  Change(ChangePlan plan, double now)
      : plan_(std::move(plan)), since_s_(now), stage_(Preparing{}) {}

  ChangePlan const& plan() const { return plan_; }
  double since_s() const { return since_s_; }
  double prepare_s() const { return prepare_s_; }  ///< once it is offered

  bool is_preparing() const { return is<Preparing>(); }
  bool is_following() const { return is<Following>(); }
  bool is_withdrawing() const { return is<Withdrawing>(); }
  /// A member has agreed to switch: it cannot be withdrawn any more.
  bool is_agreed() const { return is<Agreed>(); }
  bool is_offered() const { return is<Offered>(); }  ///< and not agreed to
  /// Nobody can have agreed to switch.
  bool is_before_offer() const { return is_preparing() || is_following(); }

  // --- preparing ------------------------------------------------------------
  /// True: with this one all members are prepared.
  bool prepared(msg::MemberId id, double now);
  bool all_prepared() const;
  /// Of `ids`, those that are not.
  MemberIds not_prepared(MemberIds const& ids) const;

  // --- following ------------------------------------------------------------
  void follow(double now) { stage_ = Following{now, {}}; }
  /// True: with this joiner all have caught up.
  bool caught_up(msg::MemberId id, double now);
  bool has_followed_for(double limit_s, double now) const;

  // --- offered --------------------------------------------------------------
  void offer() { stage_ = Offered{}; }
  void withdraw() { stage_ = Withdrawing{}; }
  /// True: with this one all of `members` have withdrawn.
  bool withdrawn(msg::MemberId id, MemberIds const& members);

  // --- agreed ---------------------------------------------------------------
  void agree();
  /// `first` is the first step in the new generation.
  void switched(msg::MemberId id, msg::Step first);
  bool has_switched(msg::MemberId id) const;
  /// The first first bucket of the new generation is complete.  Said of a
  /// change that nobody has agreed to it means nothing.
  void all_full();
  bool are_all_full() const;
  /// All are full and, with steps recorded up to `recorded`, the leaver that
  /// was rank 0 owes no report of a step before the switch.
  bool may_close(msg::Step recorded) const;
  msg::Step first() const;

  // --- at any time ----------------------------------------------------------
  /// A joiner died or its plane failed: the change must not be.
  void give_up() { given_up_ = true; }
  bool is_given_up() const { return given_up_; }

 private:
  struct Preparing {
    MemberSet prepared;
  };
  struct Following {
    double since_s = 0;
    MemberSet caught_up;
  };
  struct Offered {};
  struct Withdrawing {
    MemberSet withdrawn;
  };
  struct Agreed {
    MemberSet switched;
    msg::Step first = 0;  ///< 0: not known yet
    bool all_full = false;
  };
  template <class Stage>
  bool is() const {
    return std::holds_alternative<Stage>(stage_);
  }

  ChangePlan plan_;
  double since_s_;
  double prepare_s_ = 0;
  std::variant<Preparing, Following, Offered, Withdrawing, Agreed> stage_;
  bool given_up_ = false;
};

/// Whether a change that nobody has agreed to must be given up, where `in_use`
/// are the members now, and what has to be left within `urgent_s` is not kept
/// waiting.
bool must_give_up(Change const& change, MemberIds const& in_use,
                  MemberTable const& table, double urgent_s, double now);

/// The steps between the agreement to a change and its switch.
struct LeadFacts {
  std::uint32_t loads_ahead = 0;  ///< the most of any member, in shares
  double step_s = 0;              ///< median; 0: not known
  double lead_s_max = 0;
  /// Until the first deadline of those that leave; infinite: none.
  double left_s = 0;
};
/// As many steps as members load ahead, so that no batch loaded ahead is
/// discarded, and joiners have loaded, too, when they begin.
std::uint32_t lead_steps(LeadFacts const& facts);

}  // namespace gleaner::generation
