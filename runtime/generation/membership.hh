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
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "proto/runtime_messages.hh"
#include "runtime/generation/stuck.hh"

namespace gleaner {
namespace membership {

struct Send {
  msg::MemberId member = 0;
  /// What is said to many at once is the same object: write it only once.
  std::shared_ptr<msg::ToMember const> message;
};

/// A line of events.jsonl; the caller adds "t" and "event".  Kinds:
/// generation, resize, step, log, checkpoint, rollback, park, member_lost,
/// error, finish.
struct Record {
  std::string event;
  nlohmann::json fields;
};

/// SIGKILL this member and close its connection.  It counts as gone already;
/// if its node stays, the caller may start another with add_members().
struct Kill {
  msg::MemberId member = 0;
  std::string why;
};

/// No member is left on a node that shall leave: end the agent and the lease.
struct NodeFree {
  std::string node;
};

/// This checkpoint is the newest that the training may restart from: let
/// `latest` point to it.  Files in `superseded` may be removed.
struct Register {
  std::string path;
  std::vector<std::string> superseded;
  msg::Step step = 0;
  std::uint64_t samples_seen = 0;
};

/// Every sample of every pass is in the state: the training is over.  Members
/// have been told; nothing else happens to them.
struct TrainingFinished {
  msg::Step step = 0;
  std::uint64_t samples_seen = 0;
};

using Order =
    std::variant<Send, Record, Kill, NodeFree, Register, TrainingFinished>;
using Orders = std::vector<Order>;

/// Where a training may start from.
struct Checkpoint {
  std::string path;
  msg::Step step = 0;
  std::uint64_t samples_seen = 0;
};

/// All times in seconds.
struct Options {
  int nodes_min = 1;  ///< ready nodes needed to start, and to resume
  /// Paths of checkpoints are this, a number and ".safetensors".
  std::string checkpoint_prefix = "checkpoint-";
  double checkpoint_interval_s = 60;  ///< 0: only when parking
  std::optional<Checkpoint> start_from;
  bool deterministic = false;     ///< members must compute with the same
  double prepare_timeout_s = 30;  ///< for planes to connect
  double failure_timeout_s = 10;  ///< for Status
  double connect_timeout_s = 10;  ///< for planes after a loss
  double exit_timeout_s = 5;      ///< for a released member's program to end
  /// A node that must be left within this time is not kept waiting by an
  /// expand: the expand is withdrawn.
  double urgent_s = 20;
  /// Whether joiners get the state before the switch and follow from there.
  enum class Follow { automatic, on, off };
  Follow follow = Follow::automatic;
  double follow_timeout_s = 120;  ///< for joiners to catch up
  double follow_backlog_bytes = 1e9;
  double bytes_per_s = 1e9;  ///< between members, until it is measured
  /// How long the first ready member waits for others that are loading.
  double batch_s = 0.2;
  /// From its start until a member is ready to be let in.
  double load_timeout_s = 600;
  /// No more than this passes between the agreement to a change and the switch,
  /// for members to load ahead; but a step, if a deadline allows.
  double lead_s = 2;
  StuckRule stuck;
};

/// Options whose times all follow from the one that users set; which ones is
/// said in gleaner(1), "TIME LIMITS".
Options with_failure_timeout(double failure_timeout_s);

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
