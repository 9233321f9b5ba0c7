// SPDX-License-Identifier: Apache-2.0
/// Which messages pass between coordinator, agents and members of a training?
///
/// Generations and steps are as in doc/architecture.md, "Generations".
/// A member obeys only the highest generation it has seen.  Every message is
/// one JSON object {"type": ..., fields} in a length-prefixed frame; the names
/// of types and fields are those of the structs.  doc/protocol.md has an
/// example of each.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/result.hh"

namespace gleaner::msg {

using Generation = std::uint64_t;
using MemberId = std::uint32_t;  ///< given by the coordinator, never reused
using Step = std::int64_t;       ///< from 1; 0 before the first

/// Positions [first, last) of a pass's permutation.
struct Interval {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  bool operator==(Interval const&) const = default;
};

/// Who computes a step: the members it was planned for, in rank order, and
/// those of them that were lost meanwhile, loss by loss.  Their samples go back
/// to the sampler or, loss by loss, to those that were left.
struct StepPlan {
  Step step = 0;
  std::vector<MemberId> members;
  std::vector<std::vector<MemberId>> gone;
  bool operator==(StepPlan const&) const = default;
};

/// Where a member serves state to others.
struct MemberAddress {
  MemberId member = 0;
  std::string node;
  std::string data_address;  ///< "host:port"
  bool operator==(MemberAddress const&) const = default;
};

// --- member -> coordinator -------------------------------------------------

struct MemberHello {  ///< first message after the handshake
  MemberId member = 0;
  std::string node;
  std::int32_t pid = 0;
  std::string data_address;
  std::string planes;  ///< data planes it can do, best first: "tcp,self"
};
struct Loaded {  ///< gleaner_start() was called; the program is ready
  MemberId member = 0;
  std::string schema;  ///< digest of names, types and shapes, and options
  std::uint64_t state_bytes = 0;
  std::uint64_t dataset_size = 0;
  std::string fingerprint;        ///< what it computes with, in words
  std::uint32_t loads_ahead = 0;  ///< shares that the program loads in advance
  std::uint64_t gradient_bytes = 0;  ///< of a step's reduction
  std::uint64_t global_batch = 0;    ///< samples in a step
  /// Digest of names, types and shapes alone: equal for trainings of the same
  /// model that differ in data, seed and length.
  std::string shapes;
  /// Why it cannot follow, nor be followed; "": it can.
  std::string must_copy;
  std::uint64_t samples_total = 0;  ///< of all passes
};
struct PlaneBlob {  ///< this member's contact data for a data plane
  Generation generation = 0;
  std::string key;
  std::string blob;  ///< base64
};
struct Prepared {  ///< the plane of the generation is connected here
  Generation generation = 0;
};
/// The plane cannot be connected, or broke, or state that had to be copied for
/// the generation cannot be copied.
struct PrepareFailed {
  Generation generation = 0;
  std::string why;
};
struct CaughtUp {  ///< a joiner has made the updates that the members have
  Generation generation = 0;
  Step step = 0;
};
struct Switched {  ///< `step` is the first step in the new generation
  Generation generation = 0;
  Step step = 0;
};
/// From rank 0 to the coordinator, which tells the joiners: all switch to the
/// offer before `step`, which is so far ahead that they can load for it.
struct SwitchAhead {
  Generation generation = 0;
  Step step = 0;
  std::string sampler;  ///< its state before that step, as JSON
};
struct Withdrawn {  ///< answer to Withdraw: it was not agreed to
  Generation generation = 0;
};
struct Agreed {  ///< answer to Withdraw: too late, agreed at `step`
  Generation generation = 0;
  Step step = 0;
};
struct Status {  ///< answer to Quiesce; nothing writes its buffers any more
  Generation generation = 0;  ///< of the Quiesce
  bool full = false;          ///< its state may be a source
  Step complete = 0;          ///< h: last step whose reduction is complete here
  std::optional<StepPlan> begun;  ///< the step begun after it, if any
};
/// From rank 0: every member has the reduction of `step`.  Repeated by a new
/// rank 0 when the coordinator may have missed it; the coordinator keeps one.
struct Stable {
  Generation generation = 0;  ///< of the sender, now
  Step step = 0;
  /// Only this member is known to have it: the last step before the end or
  /// before a park.  It counts when all have arrived there.
  bool tentative = false;
  Generation reduced_in = 0;
  std::uint32_t world = 0;  ///< members that reduced it
  std::uint64_t pass = 0;
  std::vector<Interval> taken;  ///< positions committed by this step
  std::uint64_t samples_seen = 0;
  double duration_s = 0;  ///< end of the step before to the end of this one
  double reduce_s = 0;    ///< of which waiting for and doing the reduction
  double update_s = 0;    ///< that the registered update last took; 0: none
};
struct LogValue {
  Step step = 0;
  std::string key;
  double value = 0;
  std::uint64_t n = 0;  ///< samples it is the mean of
};
/// Logged values of stable steps, and of a member's last.  They come with the
/// heartbeats, and before any other message about more than one step.
struct LogValues {
  std::vector<LogValue> values;
};
struct Checkpointed {
  Generation generation = 0;
  Step step = 0;
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t samples_seen = 0;
};
struct CheckpointFailed {
  Generation generation = 0;
  std::string path;
  std::string why;
};
struct Finished {  ///< gleaner_step() would return GLEANER_DONE
  Generation generation = 0;
  Step step = 0;
};
struct StateReceived {  ///< a joiner has the state of step `step`
  Generation generation = 0;
  Step step = 0;
  std::uint64_t bytes = 0;
  double took_s = 0;
};
/// After a switch: digests of the state with which the generation begins.
struct StateDigest {
  Generation generation = 0;
  Step step = 0;  ///< the last one in it
  /// SHA-256 by the tensor's name; by "": of bytes from all over the state.
  std::map<std::string, std::string> digests;
};
struct Heartbeat {};
/// A member's heartbeat: it lives, and where its user's thread is.
struct Alive {
  /// "program": in the program's code; "reduction": it has computed its part
  /// and waits for the others'; "library": anything else in a call of ours.
  std::string at;
  double for_s = 0;         ///< it has been there
  Step step = 0;            ///< given to the program last; 0: none yet
  std::uint64_t steps = 0;  ///< that this process has completed
  double computed_s = 0;    ///< in these: in the program's code
  double waited_s = 0;      ///< in these: for others, and for sums
  std::string busy;         ///< with what, as gleaner_busy() was told
  double busy_left_s = 0;   ///< of the time it asked for
};
/// How much the training matters from now on (core/importance.hh), as
/// gleaner_set_weight() was told.  Of any member; the last one counts.
struct Weight {
  double weight = 1;
};
struct MemberError {  ///< the program gave up; `why` is for the user
  std::string why;
};

using FromMember =
    std::variant<MemberHello, Loaded, PlaneBlob, Prepared, PrepareFailed,
                 CaughtUp, Switched, SwitchAhead, Withdrawn, Agreed, Status,
                 Stable, LogValues, Checkpointed, CheckpointFailed, Finished,
                 StateReceived, StateDigest, Alive, Weight, MemberError>;

// --- coordinator -> member -------------------------------------------------

struct Welcome {
  MemberId member = 0;
  double heartbeat_s = 0;        ///< send one at least this often
  double failure_timeout_s = 0;  ///< silence after which either side gives up
};
/// Connect the data plane of `generation` beside the present one.
struct Prepare {
  Generation generation = 0;
  std::vector<MemberAddress> members;  ///< in rank order
  std::vector<MemberId> joiners;       ///< those that need state
  bool follow = false;  ///< they get it before the switch, and then updates
};
struct PlaneBlobs {  ///< every member's contact data, in rank order
  Generation generation = 0;
  std::string key;
  std::vector<std::string> blobs;
};
/// The first generation, or one after all members were gone.  `sources` have
/// the state (fresh or loaded from `checkpoint`), the others copy it.
struct Start {
  Generation generation = 0;
  std::vector<MemberAddress> members;
  MemberId source = 0;
  std::string checkpoint;  ///< "": as the program initialised it
};
/// Switch to this generation at the boundary all agree on.  No members: write
/// `checkpoint` (if it is "", none) and wait (the trainer parks at zero nodes).
/// With `follow` no switch yet: from that boundary on the joiners are sent the
/// state, then each reduction; the same generation is offered again when they
/// have caught up.
struct Offer {
  Generation generation = 0;
  std::vector<MemberId> members;
  std::vector<MemberId> joiners;
  std::string checkpoint;
  /// Steps from the one that agrees to the switch, in which members load what
  /// they will compute after it.
  std::uint32_t lead = 0;
  bool follow = false;
};
struct Withdraw {
  Generation generation = 0;
};
struct Quiesce {
  Generation generation = 0;
};
struct Resume {
  Generation generation = 0;
  std::vector<MemberAddress> members;
  Step complete = 0;              ///< H: everybody gets here first
  MemberId donor = 0;             ///< has the reduction of step `complete`
  std::vector<MemberId> lacking;  ///< take it from the donor
  Step recorded = 0;  ///< last step reported as stable; rank 0 goes on from it
  std::optional<StepPlan> plan;  ///< of step H+1, if a survivor has begun it
};
struct Release {};  ///< gleaner_step() returns GLEANER_LEAVE
struct Finish {};   ///< gleaner_step() returns GLEANER_DONE
struct Reset {      ///< a joiner goes back to waiting in gleaner_start()
  Generation generation = 0;
};
struct TakeCheckpoint {  ///< after the step now running
  std::string path;
};
struct Recorded {  ///< steps up to this one need not be reported again
  Step step = 0;
};
struct Refused {
  std::string why;
};

using ToMember =
    std::variant<Welcome, Prepare, PlaneBlobs, Start, Offer, SwitchAhead,
                 Withdraw, Quiesce, Resume, Release, Finish, Reset,
                 TakeCheckpoint, Recorded, Heartbeat, Refused>;

// --- agent <-> coordinator -------------------------------------------------

struct AgentHello {
  std::string node;
  std::uint32_t lease_job = 0;
  std::int32_t gpus = 0;  ///< in CUDA_VISIBLE_DEVICES
  std::int32_t cpus = 0;
};
struct MemberStarted {
  MemberId member = 0;
  std::int32_t pid = 0;
  std::string bound;  ///< "cpus=0-3 memory=0"; "": anywhere
};
struct MemberExited {
  MemberId member = 0;
  std::int32_t code = 0;  ///< exit status, or 128 + signal
};
using FromAgent =
    std::variant<AgentHello, MemberStarted, MemberExited, Heartbeat>;

struct StartMembers {
  std::vector<MemberId> members;
  std::vector<std::string> argv;
  std::vector<std::string> env;  ///< "NAME=value", beside the agent's own
  std::string cwd;
  double heartbeat_s = 0;
  double failure_timeout_s = 0;
};
struct KillMembers {  ///< SIGKILL at once
  std::vector<MemberId> members;
};
struct AgentExit {};  ///< end all members and the agent
using ToAgent =
    std::variant<StartMembers, KillMembers, AgentExit, Heartbeat, Refused>;

// --- member <-> member: bulk data ------------------------------------------
// On a connection of its own to the other's data_address.  After the handshake
// one request; the answer is Bulk and then so many raw bytes.

struct PullState {  ///< stripe `stripe` of `stripes` of the state
  Generation generation = 0;
  MemberId member = 0;  ///< who asks
  std::uint32_t stripe = 0;
  std::uint32_t stripes = 1;
};
struct PullReduction {  ///< the raw reduction of `step`
  Generation generation = 0;
  Step step = 0;
};
/// Relay the portion of the state that is the asked joiner's own.
struct PullPortion {
  Generation generation = 0;
  MemberId member = 0;  ///< who asks
};
using FromPeer = std::variant<PullState, PullReduction, PullPortion>;

struct Bulk {
  std::uint64_t header_bytes = 0;  ///< come first; only with stripe 0
  std::uint64_t bytes = 0;
};
/// To a joiner that follows, after the state: `bytes` of each step's reduction
/// come next, bucket by bucket; then Reduced.  At the switch it is sent Bulk.
struct Reduction {
  Step step = 0;
  std::uint64_t bytes = 0;
};
struct Reduced {
  Step step = 0;
  double scale = 1;  ///< gradients = reduction x scale
  std::uint64_t pass = 0;
  std::uint64_t global_batch = 0;
  std::uint64_t samples_seen = 0;  ///< before this step
  std::uint32_t world = 1;
  std::uint32_t waiting = 0;  ///< steps that wait to be sent after this one
};
using ToPeer = std::variant<Bulk, Reduction, Reduced, Refused>;

// ---------------------------------------------------------------------------

nlohmann::json to_json(FromPeer const& message);
nlohmann::json to_json(ToPeer const& message);
nlohmann::json to_json(FromMember const& message);
nlohmann::json to_json(ToMember const& message);
nlohmann::json to_json(FromAgent const& message);
nlohmann::json to_json(ToAgent const& message);

/// Read a message.  Fails with invalid_argument naming the type, the field and
/// what was expected; an unknown type is quoted.
Result<FromPeer> parse_from_peer(nlohmann::json const& json);
Result<ToPeer> parse_to_peer(nlohmann::json const& json);
Result<FromMember> parse_from_member(nlohmann::json const& json);
Result<ToMember> parse_to_member(nlohmann::json const& json);
Result<FromAgent> parse_from_agent(nlohmann::json const& json);
Result<ToAgent> parse_to_agent(nlohmann::json const& json);

/// The types of all messages above.
std::vector<std::string> runtime_message_types();

}  // namespace gleaner::msg
