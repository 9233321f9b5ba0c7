// SPDX-License-Identifier: Apache-2.0
/// Who trains together now, who next, and how do all get there?
///
/// The coordinator's half of the generation protocol (doc/architecture.md,
/// "Generations"), without I/O, clock or threads.  gleaner-coordinator calls
/// one method per event and carries out the orders it returns, in order.
///
/// Life of a member: announced by add_members() -> MemberHello -> Loaded ->
/// in a generation -> released -> member_gone().  A node is given back by
/// leave_node(): its members are switched out of the training, or killed at
/// the deadline, and NodeFree follows.
///
/// Life of the training: waiting (no state in any member) -> running ->
/// waiting again after a park or the loss of all members -> ... -> finished.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "proto/runtime_messages.hh"
#include "runtime/generation/membership_options.hh"
#include "runtime/generation/orders.hh"

namespace gleaner {
namespace membership {

enum class State { waiting, running, recovering, finished };

/// A view for `gleaner status` and msg::Progress.
struct Summary {
  State state = State::waiting;
  bool parked = false;  ///< waiting, with a checkpoint to resume from
  msg::Generation generation = 0;
  std::vector<msg::MemberId> members;
  std::vector<std::string> nodes;
  msg::Step step = 0;  ///< last one recorded as stable
  std::uint64_t samples_seen = 0;
};

}  // namespace membership

/// Times are seconds on any clock that does not go back; `now` never
/// decreases from call to call.
class Membership {
 public:
  using Orders = membership::Orders;

  explicit Membership(membership::Options options);
  ~Membership();
  Membership(Membership const&) = delete;
  Membership& operator=(Membership const&) = delete;

  /// The agent of `node` was told to start these members.  Ids are new.
  [[nodiscard]] Orders add_members(double now, std::string const& node,
                                   std::vector<msg::MemberId> const& members);

  /// A message from a member's connection.  Every message may be passed; stale
  /// ones give no orders.  A
  /// MemberHello from an id that is unknown or gone is answered by Refused.
  [[nodiscard]] Orders on_message(double now, msg::MemberId member,
                                  msg::FromMember const& message);

  /// The member's connection or process ended, or it was silent for too long.
  /// A loss unless it was released or the training is finished.  Unknown ids
  /// are ignored, so that every detector may report.
  [[nodiscard]] Orders member_gone(double now, msg::MemberId member,
                                   std::string const& why);

  /// Leave this node before `deadline` (may be infinite).  Irrevocable; again
  /// with an earlier deadline brings it forward.
  [[nodiscard]] Orders leave_node(double now, std::string const& node,
                                  double deadline, std::string const& cause);

  /// The agent or the lease ended: every member of the node is gone, and the
  /// node is forgotten (a later add_members() may bring it back).
  [[nodiscard]] Orders node_gone(double now, std::string const& node,
                                 std::string const& why);

  /// Nobody will go on from the state: the next park writes no checkpoint.
  void drop_state();

  /// Call a few times a second: deadlines and timeouts.
  [[nodiscard]] Orders tick(double now);

  /// Nothing more will be heard: the values that were to be shown when slower
  /// members have said theirs.
  [[nodiscard]] Orders last_values();

  membership::Summary summary() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gleaner
