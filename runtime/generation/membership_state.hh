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
#include "runtime/generation/membership.hh"
#include "runtime/generation/resize_cost.hh"

namespace gleaner {

using MemberIds = std::vector<msg::MemberId>;
using MemberSet = std::set<msg::MemberId>;

/// Where a member is in its life.  Gone members are erased.
enum class Phase {
  announced,  ///< its agent was told to start it
  connected,
  loaded,  ///< waits in gleaner_start() for state, or will after Reset
  active,  ///< in the generation in use
  released,
};
inline constexpr std::size_t phases = 5;

struct MemberEntry {
  msg::MemberId id = 0;
  std::string node;
  Phase phase = Phase::announced;
  std::string data_address;
  double since_s = 0;             ///< in this phase
  bool touched = false;           ///< state may have been written into it
  bool disowned = false;          ///< released, and what it did was rolled back
  int failures = 0;               ///< prepared in vain
  std::string fingerprint;        ///< of its Loaded
  std::string must_copy;          ///< of its Loaded
  std::uint32_t loads_ahead = 0;  ///< shares
  int vain_follows = 0;           ///< it began to follow, and did not get there
  std::optional<msg::Finished> finished;
  std::optional<msg::Alive> alive;  ///< said since the generation began
  bool busy = false;                ///< as the log has it
};

struct NodeEntry {
  bool leaving = false;
  bool freed = false;
  double deadline_s = 0;
  std::string cause;
};

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
  Orders out;  ///< of the call in progress
  double now = 0;

  std::map<msg::MemberId, MemberEntry> entries;
  std::map<std::string, NodeEntry> nodes;
  std::array<int, phases> in_phase{};  ///< entries
  int nodes_leaving = 0;
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
  std::optional<double> ready_since_s;
  double bytes_per_s = 0;  ///< between members, as measured; 0: not yet
  double update_s = 0;
  double park_again_s = 0;  ///< not before: the last one failed
  std::map<std::string, int> load_failures;

  /// Contact data for planes, by generation and key.
  std::map<std::pair<msg::Generation, std::string>,
           std::map<msg::MemberId, std::string>>
      blobs;

  /// What the members of a new generation say of their state.
  std::map<msg::MemberId, msg::StateDigest> digests;
  msg::Generation digests_of = 0;

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
  /// The coordinator's business: how members are led does not depend on it.
  void on(MemberEntry&, msg::Weight const&) {}
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
  void forget_sightings();

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

  // membership_check.cc: equal states.
  void on(MemberEntry& from, msg::StateDigest const& message);
  void compare_states(MemberIds const& ranks,
                      std::map<msg::MemberId, msg::StateDigest> const& all);

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

  // Small words.
  void send(msg::MemberId member, msg::ToMember message) {
    send_all({member}, std::move(message));
  }
  void send_all(MemberIds const& to, msg::ToMember message) {
    auto const shared =
        std::make_shared<msg::ToMember const>(std::move(message));
    for (auto const id : to) out.push_back(membership::Send{id, shared});
  }
  void record(std::string event, nlohmann::json fields) {
    out.push_back(membership::Record{std::move(event), std::move(fields)});
  }
  int& members_in(Phase phase) { return in_phase[std::size_t(phase)]; }
  bool is_live(msg::MemberId id) const { return entries.count(id) != 0; }
  NodeEntry const& node_of(msg::MemberId id) const;
  bool is_leaving(msg::MemberId id) const { return node_of(id).leaving; }
  bool is_urgent(msg::MemberId id) const;
  MemberIds live(MemberIds const& ids) const;
  MemberIds staying(MemberIds const& ids) const;
  std::vector<msg::MemberAddress> addresses(MemberIds const& ids) const;
  NodeSet nodes_of(MemberIds const& ids) const;
  void set_phase(MemberEntry& member, Phase phase);
};

inline bool contains(MemberIds const& ids, msg::MemberId id) {
  for (auto const other : ids)
    if (other == id) return true;
  return false;
}

}  // namespace gleaner
