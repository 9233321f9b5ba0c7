// SPDX-License-Identifier: Apache-2.0
/// What does the coordinator's half of the protocol remember?  Private to
/// membership*.cc.
#pragma once

#include <array>
#include <limits>
#include <map>
#include <memory>
#include <set>

#include "core/node_set.hh"
#include "runtime/generation/ledger.hh"
#include "runtime/generation/log_means.hh"
#include "runtime/generation/member_table.hh"
#include "runtime/generation/membership.hh"
#include "runtime/generation/rendezvous.hh"
#include "runtime/generation/resize_cost.hh"
#include "runtime/generation/state_check.hh"

namespace gleaner {

/// The one planned change: a generation prepared beside the one in use, then
/// offered, then switched to.
struct Change {
  enum class Stage { preparing, following, offered, withdrawing };

  msg::Generation generation = 0;
  std::string kind;  ///< start, resume, expand, shrink, mixed, park
  std::string cause;
  MemberIds members;  ///< empty: a park
  MemberIds joiners;
  std::string checkpoint;  ///< to write (park) or to load (start, resume)
  Stage stage = Stage::preparing;
  double since_s = 0;
  double prepare_s = 0;
  bool follow = false;   ///< joiners do, and have caught up before the offer
  std::string copy_why;  ///< else
  MemberSet caught_up;
  double following_since_s = 0;
  MemberSet prepared;
  MemberSet switched;
  MemberSet withdrawn;
  int from = 0;  ///< nodes in use before
  bool agreed = false;
  bool broken = false;    ///< a joiner died or its plane failed: must not be
  msg::Step first = 0;    ///< step in it, once known
  bool all_full = false;  ///< its first first bucket is complete
};

/// Nobody can have agreed to switch to it.
inline bool is_before_offer(Change const& change) {
  return change.stage == Change::Stage::preparing ||
         change.stage == Change::Stage::following;
}

/// A loss being repaired: Quiesce was sent, Status is awaited.
struct Recovery {
  msg::Generation generation = 0;
  MemberIds asked;
  std::map<msg::MemberId, msg::Status> answers;
  double since_s = 0;
};

struct Membership::State {
  explicit State(membership::Options options)
      : options(std::move(options)), ledger(this->options.start_from) {}

  membership::Options const options;
  membership::OrderList out;  ///< of the call in progress
  double now = 0;

  MemberTable table;
  std::optional<msg::Loaded> schema;  ///< of the first member

  // The generation in use; none while the training waits.
  msg::Generation last_generation = 0;  ///< numbers only grow
  msg::Generation generation = 0;
  MemberIds members;
  int nodes_in_use = 0;
  bool settled = false;  ///< every member has state
  MemberSet connected;   ///< planes reported connected after a loss
  double resumed_s = 0;
  double connecting_s_max = 0;  ///< that members took beside a generation
  int vain_resumes = 0;         ///< since the last stable step
  int vain_prepares = 0;        ///< since the last change
  /// Members that are let in together; fewer, when it is not known which of
  /// them keeps the others out.
  std::size_t together_max = std::numeric_limits<std::size_t>::max();
  std::optional<double> plane_broken_s;
  msg::MemberId plane_broken_by = 0;
  std::string loading;  ///< checkpoint that the source loads
  msg::MemberId source = 0;

  std::optional<Change> change;
  std::optional<Recovery> recovery;
  bool needs_recovery = false;
  std::string loss;  ///< why the last recovery was needed
  bool finished = false;
  bool state_dropped = false;  ///< a park writes no checkpoint
  std::optional<double> ready_since_s;
  double bytes_per_s = 0;  ///< between members, as measured; 0: not yet
  double update_s = 0;
  double park_again_s = 0;  ///< not before: the last one failed
  std::map<std::string, int> load_failures;

  Rendezvous rendezvous;
  StateCheck state_check;
  Ledger ledger;
  LogMeans log_means;
  ResizeCost resize_cost;
  StepMedian step_median;
  msg::Step told_recorded = 0;
  unsigned checkpoints = 0;  ///< numbers their files
  struct Asked {
    msg::MemberId member = 0;
    std::string path;
  };
  std::optional<Asked> checkpoint_asked;
  std::map<std::string, msg::Checkpointed> written;  ///< not registered yet
  double checkpoint_s = 0;  ///< when the last one was asked for
  double stuck_checked_s = 0;
  double values_shown_s = 0;

  // membership.cc: members and nodes.
  void on(MemberEntry& from, msg::MemberHello const& message);
  void on(MemberEntry& from, msg::Loaded const& message);
  void on(MemberEntry& from, msg::MemberError const& message);
  void on(MemberEntry& from, msg::StateReceived const& message);
  void on(MemberEntry& from, msg::Alive const& message);
  void on(MemberEntry& from, msg::StateDigest const& message);
  void gone(msg::MemberId id, std::string const& why);
  bool is_needed(msg::MemberId id) const;
  void kill(msg::MemberId id, std::string const& why);
  void release(MemberEntry& member);
  void refuse(MemberEntry& member, std::string const& why);
  void release_idle_leavers();
  void free_nodes();
  void check_deadlines();
  void check_loading();
  void check_stuck();

  // membership_change.cc: planned changes.
  void on(MemberEntry& from, msg::PlaneBlob const& message);
  void on(MemberEntry& from, msg::Prepared const& message);
  void on(MemberEntry& from, msg::PrepareFailed const& message);
  void on(MemberEntry& from, msg::Switched const& message);
  void on(MemberEntry& from, msg::SwitchAhead const& message);
  void on(MemberEntry& from, msg::Withdrawn const& message);
  void on(MemberEntry& from, msg::Agreed const& message);
  bool calls_for_decision(msg::FromMember const& message) const;
  void decide();
  void reconsider_change();
  bool must_not_be(Change const& change) const;
  void consider_start();
  void consider_change();
  void prepare(std::string kind, MemberIds to, MemberIds joiners);
  void open_change();
  std::uint32_t lead() const;
  void offer(bool follow);
  void start();
  void offer_park();
  void close_if_all_full();
  void cancel_change();
  void withdraw_change();
  void preparing_failed(MemberIds const& blamed, std::string const& why);
  void check_preparing();
  bool will_try_fewer();
  void forget_vain_prepares();
  MemberIds ready_members();
  std::string cause_of_leaving() const;

  // membership_follow.cc: joiners that follow.
  void on(MemberEntry& from, msg::CaughtUp const& message);
  std::string objection_to_follow(Change const& change) const;
  void decide_on_follow();
  void open_follow();
  void count_vain_follow();
  void check_following();

  // membership_recovery.cc: losses.
  void on(MemberEntry& from, msg::Status const& message);
  void recover();
  void recover_without_the_dead();
  void resume();
  void release_or_reset(MemberIds const& ids, MemberIds const& full,
                        msg::Generation generation);
  void all_lost();
  double connect_limit_s() const;
  void check_recovery();

  // membership_record.cc: steps, values, checkpoints, the end.
  void on(MemberEntry& from, msg::Stable const& message);
  void on(MemberEntry& from, msg::LogValues const& message);
  void check_values();
  void on(MemberEntry& from, msg::Checkpointed const& message);
  void on(MemberEntry& from, msg::CheckpointFailed const& message);
  void on(MemberEntry& from, msg::Finished const& message);
  void record_steps(std::vector<msg::Stable> const& steps);
  void record_log_until(msg::Step step);
  void record_resize(std::optional<Resize> const& resize);
  void record_generation(std::string const& kind, std::string const& cause,
                         int from, double prepare_s, msg::Step first,
                         Change const* joined = nullptr);
  void announce_checkpoint();
  void forget_checkpoint_asked();
  void check_checkpoint();
  void finish_if_all_have();
  void finish(msg::Step step);
  void park(msg::Checkpointed const& message);
  std::string next_checkpoint_path();

  bool is_urgent(msg::MemberId id) const;
};

}  // namespace gleaner
