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
#include <optional>
#include <string>
#include <vector>

#include "proto/runtime_messages.hh"
#include "runtime/generation/admission.hh"
#include "runtime/generation/change.hh"
#include "runtime/generation/checkpoint_load.hh"
#include "runtime/generation/follow_choice.hh"
#include "runtime/generation/member_table.hh"
#include "runtime/generation/membership_options.hh"
#include "runtime/generation/orders.hh"
#include "runtime/generation/plane_watch.hh"
#include "runtime/generation/program_check.hh"
#include "runtime/generation/recovery.hh"
#include "runtime/generation/rendezvous.hh"
#include "runtime/generation/replacement.hh"
#include "runtime/generation/state_check.hh"
#include "runtime/generation/training_record.hh"

namespace gleaner::generation {
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
  /// The generation in use; number 0 while the training waits.
  struct InUse {
    msg::Generation generation = 0;
    MemberIds members;  ///< in rank order; those that died are taken out
    int nodes = 0;
    bool settled = false;  ///< every member has state
  };

  // Members and nodes (membership.cc).
  void on(MemberEntry& from, msg::MemberHello const& message);
  void on(MemberEntry& from, msg::Loaded const& message);
  void on(MemberEntry& from, msg::MemberError const& message);
  void on(MemberEntry& from, msg::StateReceived const& message);
  void on(MemberEntry& from, msg::StateDigest const& message);
  void on(MemberEntry& from, msg::Alive const& message);
  /// The coordinator's business: how members are led does not depend on it.
  void on(MemberEntry&, msg::Weight const&) {}
  void gone(msg::MemberId id, std::string const& why);
  bool is_needed(msg::MemberId id) const;
  void kill(msg::MemberId id, std::string const& why);
  void kill(std::vector<Replaced> const& replaced);
  void release(MemberEntry& member);
  void release(MemberEntry& member, msg::Step last_step, bool has_told_values);
  void refuse(MemberEntry& member, std::string const& why);
  void release_idle_leavers();
  void check_stuck();
  membership::Orders decided();

  // Steps, checkpoints, the end (membership_record.cc).
  void on(MemberEntry& from, msg::Stable const& message);
  void on(MemberEntry& from, msg::LogValues const& message);
  void on(MemberEntry& from, msg::Checkpointed const& message);
  void on(MemberEntry& from, msg::CheckpointFailed const& message);
  void on(MemberEntry& from, msg::Finished const& message);
  void record_generation(std::string const& kind, std::string const& cause,
                         int from, double prepare_s, msg::Step first,
                         ChangePlan const* joined = nullptr);
  void check_values();
  void show_values();
  void park(msg::Checkpointed const& message);
  void finish_if_all_have();
  void finish(msg::Step step);

  // Planned changes (membership_change.cc).
  void on(MemberEntry& from, msg::PlaneBlob const& message);
  void on(MemberEntry& from, msg::Prepared const& message);
  void on(MemberEntry& from, msg::PrepareFailed const& message);
  void on(MemberEntry& from, msg::CaughtUp const& message);
  void on(MemberEntry& from, msg::Switched const& message);
  void on(MemberEntry& from, msg::SwitchAhead const& message);
  void on(MemberEntry& from, msg::Withdrawn const& message);
  void on(MemberEntry& from, msg::Agreed const& message);
  bool calls_for_decision(msg::FromMember const& message) const;
  void decide();
  void reconsider_change();
  bool is_of_change(msg::Generation generation) const {
    return change_ && change_->plan().generation == generation;
  }
  bool must_give_up_change() const;
  void consider_start();
  void consider_change();
  bool are_enough(MemberIds const& ids) const;
  std::string cause_of_leaving() const;
  void prepare(std::string kind, MemberIds to, MemberIds joiners);
  void start();
  void offer(bool follow);
  std::uint32_t lead() const;
  void offer_park();
  void close_change();
  void cancel_change();
  void withdraw_change();
  void preparing_failed(MemberIds const& blamed, std::string const& why);
  void follow_failed();
  void check_change();

  // Losses (membership_loss.cc).
  void on(MemberEntry& from, msg::Status const& message);
  void lost(std::string why);
  void plane_broke(msg::MemberId by, msg::Generation generation,
                   std::string const& why);
  void recover();
  void resume();
  void release_or_reset(MemberIds const& ids, MemberIds const& full,
                        msg::Generation generation, msg::Step last_step);
  void all_lost();
  void check_losses();

  membership::Options const options_;
  double now_ = 0;
  membership::OrderList out_;  ///< of the call in progress
  MemberTable table_;
  ProgramCheck program_;
  InUse in_use_;
  msg::Generation last_generation_ = 0;  ///< numbers only grow
  Rendezvous rendezvous_;
  StateCheck state_check_;
  PlaneWatch planes_;
  double stuck_checked_s_ = 0;

  Admission admission_;
  FollowChoice follow_;
  std::optional<Change> change_;

  /// Why the last recovery is or was needed.
  struct Loss {
    bool is_open = false;  ///< the recovery is still to begin
    std::string why;
  };
  Loss loss_;
  std::optional<Recovery> recovery_;

  CheckpointLoad load_;
  TrainingRecord record_;
  bool finished_ = false;
};

}  // namespace gleaner::generation
