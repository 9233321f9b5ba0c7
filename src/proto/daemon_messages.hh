// SPDX-License-Identifier: Apache-2.0
/// Which messages do gleanerd, its plugins, coordinators and clients send?
///
/// Two transports: the UNIX stream socket RUN_DIR/gleanerd.sock (plugins; peer
/// credentials must be root or SlurmUser) and TCP (everybody else; MUNGE).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "core/cluster.hh"
#include "core/result.hh"
#include "proto/splice.hh"

namespace gleaner::msg {

// --- coordinator -> gleanerd -----------------------------------------------

struct HeldLease {
  std::string node;
  JobId lease_job = 0;
};
/// How much it matters among its user's trainings (core/importance.hh), where
/// the training says something else than what it was submitted with.
struct Importance {
  std::optional<double> weight;
  std::optional<TimeS> deadline_s;  ///< 0: none any more
  bool operator==(Importance const&) const = default;
};
/// First message; again after every reconnect, with the leases it holds.
struct Register {
  JobId job = 0;  ///< its base job; the MUNGE uid must own it
  std::vector<HeldLease> leases;
  Importance importance;  ///< later changes come as messages of their own
};
struct LeaseStarted {  ///< the agent runs on the node
  std::string node;
  JobId lease_job = 0;
  double took_s = 0;  ///< grant to the agent's hello
};
struct LeaseFailed {  ///< Slurm refused, or the agent did not come
  std::string node;
  std::string why;
};
/// No member trains on these nodes any more.  Their agents hold the leases
/// until ReleaseNodes, or the deadline of the GiveBack.
struct Vacated {
  std::vector<std::string> nodes;
};
struct LeaseEnded {  ///< the agent is gone; the coordinator wants it no more
  std::string node;
  JobId lease_job = 0;
  std::string cause;  ///< "released", "lost", "finished"
};
struct Progress {  ///< once a second and after every resize
  std::uint64_t generation = 0;
  int members = 0;
  std::vector<std::string> nodes;
  std::int64_t step = 0;
  std::uint64_t samples = 0;
  double samples_per_s = 0;
  double loss = 0;    ///< last logged "loss"; NaN is sent as null
  std::string state;  ///< "waiting", "running", "parked", "finished"
  std::uint64_t samples_left = 0;  ///< to the end of the last pass; 0: unknown
};
/// How fast the generation in use is, once it is warm; with Progress.
struct Pace {
  std::uint64_t generation = 0;
  int nodes = 0;
  int members = 0;
  std::uint64_t steps = 0;   ///< measured
  double step_s = 0;         ///< median
  double step_spread_s = 0;  ///< between the quartiles
  double compute_s = 0;      ///< of it in the program: mean over members
  double compute_max_s = 0;  ///< the same at the member that computes longest
  double exposed_s = 0;      ///< waiting at the member that waits least
  double update_s = 0;       ///< the registered update; 0: not known
  std::string family;        ///< of trainings that scale alike
  std::uint64_t global_batch = 0;
  std::uint64_t gradient_bytes = 0;
};
struct Resized {
  std::uint64_t generation = 0;
  std::string kind;  ///< "start", "expand", "shrink", "mixed", "loss", "park"
  int from = 0;      ///< members
  int to = 0;
  std::string cause;
  double prepare_s = 0;
  double stall_s = 0;
};
using FromCoordinator =
    std::variant<Register, Importance, LeaseStarted, LeaseFailed, Vacated,
                 LeaseEnded, Progress, Pace, Resized>;

// --- gleanerd -> coordinator -----------------------------------------------

struct Registered {
  int nodes_min = 1;
  int nodes_max = 1;
  std::vector<std::string> lease_options;  ///< for srun, after the fixed ones
};
struct Grant {  ///< ask Slurm for this node, with this ticket, now
  std::string node;
  std::string ticket;
  int minutes = 1;    ///< time limit of the lease
  TimeS until_s = 0;  ///< when the hole is expected to end; 0: unknown
  /// Of a part, `node` being "n3+1": what to ask for, no more and no less.
  std::optional<Resources> part = std::nullopt;
};
struct GiveBack {  ///< leave these nodes before the deadline
  std::vector<std::string> nodes;
  TimeS deadline_s = 0;
  std::string cause;  ///< "arrival", "planned_start", "plan", "drained", …
  /// Say Vacated when members are out, and end the leases only after
  /// ReleaseNodes, or at the deadline; false: end each as soon as it is empty.
  bool hold = false;
};
/// Every trainer has left the nodes that were asked back together with these:
/// end the leases of these nodes now.
struct ReleaseNodes {
  std::vector<std::string> nodes;
};
struct RegisterRefused {
  std::string why;
};
using ToCoordinator =
    std::variant<Registered, Grant, GiveBack, ReleaseNodes, RegisterRefused>;

// --- plugin -> gleanerd ----------------------------------------------------

struct PluginHello {
  std::string plugin;           ///< "sched_gleaner"
  std::string version;          ///< Slurm's
  bool looks_at_queue = false;  ///< it can do what LookAtQueue asks
};
struct Holes {
  Snapshot snapshot;
  double took_s = 0;
};
/// The next snapshot after the last Holes or HolesSince of this connection, as
/// what has changed (snapshot_change.hh).
struct HolesSince {
  TimeS time_s = 0;
  TimeS backfill_s = 0;
  int nodes_total = 0;
  proto::Splice<NodeKind> kinds;
  proto::Splice<Hole> holes;
  proto::Splice<SharedNode> shared;
  proto::Splice<LeaseJob> leases;
  proto::Splice<PreemptedLease> preempted;
  proto::Splice<PendingJob> pending;
  proto::Splice<PendingJob> coming;
  proto::Splice<BaseJob> trainers;
  std::map<std::string, NodeSet> reservations;
  double took_s = 0;
};
using FromPlugin = std::variant<PluginHello, Holes, HolesSince>;

struct ScanNow {};  ///< gleanerd -> scavenger: something changed
/// gleanerd -> scavenger: nodes that waiting jobs need have come free, so
/// slurmctld should look at its queue now.
struct LookAtQueue {};
using ToPlugin = std::variant<ScanNow, LookAtQueue>;

// --- gleaner status, profile, admin <-> gleanerd ---------------------------

struct StatusRequest {};
struct ProfileRequest {
  JobId job = 0;  ///< of a training
};
/// Root's and SlurmUser's only.
struct AdminRequest {
  std::string action;  ///< "drain", "resume", "observe", "on"
  std::string nodes;   ///< of drain and resume: "n[1-4]"; "": all
};
using FromClient = std::variant<StatusRequest, ProfileRequest, AdminRequest>;

struct TrainerStatus {
  JobId job = 0;
  Uid uid = 0;
  std::string name;
  int nodes_min = 1;
  int nodes_max = 1;
  std::string state;
  std::vector<std::string> nodes;
  std::uint64_t generation = 0;
  std::int64_t step = 0;
  std::uint64_t samples = 0;
  double samples_per_s = 0;
  double loss = 0;
  std::string why;       ///< it has not more nodes: "at its maximum"
  double weight = 1;     ///< in force among its user's trainings
  TimeS deadline_s = 0;  ///< likewise; 0: none
};
struct LeaseStatus {
  JobId job = 0;
  std::string node;
  JobId trainer = 0;
  std::string state;  ///< "offered", "held", "returning", "ending"
  TimeS since_s = 0;
  TimeS until_s = 0;
};
struct HoleStatus {
  std::string node;
  bool leased = false;
  TimeS end_s = 0;  ///< 0: unknown
  /// Why it is not lent: "job 17", or "reclaimed" where Slurm took a lease and
  /// could not preempt again yet; "": no reason of that kind.
  std::string kept_for;
};
struct StatusReply {
  TimeS time_s = 0;
  TimeS snapshot_s = 0;
  std::string mode;         ///< "on", "observe": what is in force
  std::string observed_by;  ///< with "observe": who says so
  std::string drained;      ///< nodes that are not lent; "all"
  std::string policy;
  int nodes_total = 0;
  int lendable = 0;    ///< idle nodes that neither jobs nor orders keep
  int would_lend = 0;  ///< with "observe": what the plan lends of them
  std::vector<TrainerStatus> trainers;
  std::vector<LeaseStatus> leases;
  std::vector<HoleStatus> holes;
  double stall_p50_s = 0;
  double stall_p99_s = 0;
  /// What the last plan is expected to gain, and what no plan could exceed, in
  /// seconds of one node; both 0 before the first.
  double plan_value = 0;
  double plan_bound = 0;
};
/// What an order led to.
struct AdminReply {
  bool done = false;
  std::string why;      ///< it was not done; or, done, what is wrong with it
  std::string mode;     ///< as in StatusReply
  std::string drained;  ///< as in StatusReply
  std::vector<std::string> returning;  ///< nodes on their way back
};
/// What was measured on this number of nodes.  Fields as in Pace.
struct ProfileSize {
  int nodes = 0;
  int members = 0;
  std::uint64_t steps = 0;
  double step_s = 0;
  double step_spread_s = 0;
  double compute_s = 0;
  double compute_max_s = 0;
  double exposed_s = 0;
  double update_s = 0;
};
/// The expected speed on this number of nodes, samples/s, and the ends of the
/// interval that holds the truth nine times in ten.
struct ProfilePoint {
  int nodes = 0;
  double expected = 0;
  double low = 0;
  double high = 0;
};
/// What is known of a training's scaling.
struct ProfileReply {
  JobId job = 0;
  std::string why;  ///< there is nothing to show; "": there is
  std::string name;
  std::string scaling;  ///< "measured", "assumed": what plans are made of
  std::string family;
  std::uint64_t global_batch = 0;
  std::uint64_t gradient_bytes = 0;
  int members_per_node = 0;
  int nodes_min = 0;
  int nodes_max = 0;
  int nodes_now = 0;
  int trainings_before = 0;  ///< with its family, from which it is known
  std::vector<ProfileSize> measured;
  std::vector<ProfilePoint> curve;
  double expand_s = 0;  ///< of training time, as plans count them
  double shrink_s = 0;
  double start_s = 0;
  std::string deliberate;  ///< why it is or is not measured on purpose
};
using ToClient = std::variant<StatusReply, ProfileReply, AdminReply>;

// ---------------------------------------------------------------------------

nlohmann::json to_json(FromCoordinator const& message);
nlohmann::json to_json(ToCoordinator const& message);
nlohmann::json to_json(FromPlugin const& message);
nlohmann::json to_json(ToPlugin const& message);
nlohmann::json to_json(FromClient const& message);
nlohmann::json to_json(ToClient const& message);

/// Read a message.  Fails with invalid_argument naming the type, the field and
/// what was expected; an unknown type is quoted.
Result<FromCoordinator> parse_from_coordinator(nlohmann::json const& json);
Result<ToCoordinator> parse_to_coordinator(nlohmann::json const& json);
Result<FromPlugin> parse_from_plugin(nlohmann::json const& json);
Result<ToPlugin> parse_to_plugin(nlohmann::json const& json);
Result<FromClient> parse_from_client(nlohmann::json const& json);
Result<ToClient> parse_to_client(nlohmann::json const& json);

/// Every node is of a kind that the snapshot has; else invalid_argument, naming
/// the node.
Result<void> check_kinds(Snapshot const& snapshot);

/// The types of all messages above.
std::vector<std::string> daemon_message_types();

}  // namespace gleaner::msg
