// SPDX-License-Identifier: Apache-2.0
/// What must a member do next, given what it was told and what has happened?
///
/// The member's half of the generation protocol (doc/architecture.md,
/// "Generations"), without I/O, clock or threads.  libgleaner calls one method
/// per event and carries out the actions it returns, in order.
///
/// The user's thread is in one of four places, and is given an action only
/// when it waits:
///
///     gleaner_start()   want_start()      -> Started, or Leave, Done
///     gleaner_step()    want_step()       -> BeginStep, or Leave, Done
///     gleaner_reduce()  want_reduction()  -> ApplyReduction (return OK),
///                                            BeginStep (return MORE), Leave,
///                                            Done
///     the user's code   between a return and the next call
///
/// No such action in the list: the thread keeps waiting; a later event brings
/// it.  State is read, written or overwritten (ServeState, FetchState,
/// LoadCheckpoint, the copy for WriteCheckpoint) only while the user's thread
/// waits, so it may itself do the work.
///
/// One generation is in use; beside it at most one is being prepared.  The
/// data plane of a generation is connected by ConnectPlane and exists until
/// DropPlane or StopPlanes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "proto/runtime_messages.hh"
#include "runtime/generation/sampler.hh"
#include "runtime/generation/step_shares.hh"

namespace gleaner::generation {
namespace session {

struct Send {
  msg::FromMember message;
};

/// Connect the data plane of a generation beside those that exist.  Contact
/// data goes out as msg::PlaneBlob and comes as msg::PlaneBlobs; both are the
/// caller's to send and to take.  Answer: plane_connected() or failed().
struct ConnectPlane {
  msg::Generation generation = 0;
  std::vector<msg::MemberAddress> members;  ///< in rank order
  std::uint32_t rank = 0;
};

/// Close this generation's plane, if any, and end state transfers for it.  No
/// answer; late answers to earlier actions of that generation do no harm.
struct DropPlane {
  msg::Generation generation = 0;
};

/// Close all planes, end all reductions and all transfers of state and of
/// reductions, in both directions.  Answer: plane_stopped(), once nothing
/// writes gradients, reductions or state any more.  What completes before that
/// answer is still to be reported; nothing may complete after it.
/// Background writing of a checkpoint goes on.
struct StopPlanes {};

/// Give each of `joiners` its portion of the registered state, of which this
/// member sends stripe `stripe` of `stripes`.  They ask for it on the data
/// listener, naming the generation.  `header` goes with stripe 0.  Answer:
/// state_served(), also when a joiner is gone: the coordinator knows.  The
/// user's thread waits meanwhile.
struct ServeState {
  msg::Generation generation = 0;
  msg::Step step = 0;
  std::vector<msg::MemberId> joiners;
  std::uint32_t stripe = 0;
  std::uint32_t stripes = 1;
  std::string header;
};

/// Ask donors[i] for stripe i of donors.size() of this member's portion of the
/// state for this generation, and each other joiner to relay its own portion:
/// now, answering state_requested().  It comes when the donors get to the
/// switch, which may take long.  Then: state_received() with the header (the
/// caller also sends msg::StateReceived, for the figures).  Or failed().
///
/// With `follow` the state comes before the switch, and after it each step's
/// reduction: apply them as they come; call caught_up() once none is waiting.
/// What the donors send at the switch ends it: then state_received().
struct FetchState {
  msg::Generation generation = 0;
  std::vector<msg::MemberAddress> donors;
  std::vector<msg::MemberAddress> joiners;  ///< this member among them
  bool follow = false;
};

/// The joiners of this generation will follow: get room for a copy of what
/// ServeState would send them.  Feed comes later, or DropPlane or StopPlanes,
/// which end this and what Feed begins.
struct PrepareFeed {
  msg::Generation generation = 0;
  std::vector<msg::MemberId> joiners;
  std::uint32_t stripe = 0;
  std::uint32_t stripes = 1;
};

/// From now on feed the joiners: the state as it is now; then this member's
/// part of each reduction from step + 1 on, bucket by bucket as they complete,
/// and after each what msg::Reduced says.  Nobody waits for it.  It cannot be
/// done: failed().
struct Feed {
  msg::Generation generation = 0;
  msg::Step step = 0;
  std::string header;
};

/// The switch: reductions were fed up to `step`.  Send what updates do not
/// make: buffers, blobs and this header.  Nobody waits for it.
struct EndFeed {
  msg::Generation generation = 0;
  msg::Step step = 0;
  std::string header;
};

/// Take the raw reduction of `step` from the donor, whole, aside; it becomes
/// this member's own only when complete.  The donor's data listener answers
/// without being told.  Answer: reduction_fetched() or failed().
struct FetchReduction {
  msg::Generation generation = 0;
  msg::Step step = 0;
  msg::MemberAddress donor;
};

/// Copy the state now (the user's thread waits), then write it in the
/// background.  Answer, at any later time: checkpoint_written() or
/// checkpoint_failed().
struct WriteCheckpoint {
  std::string path;
  msg::Generation generation = 0;
  msg::Step step = 0;
  std::uint64_t samples_seen = 0;
  std::string header;
};

/// Fill the state from a file.  Answer: checkpoint_loaded() or
/// checkpoint_failed().
struct LoadCheckpoint {
  msg::Generation generation = 0;
  std::string path;
};

/// This member, which waits for its state, will begin at a step that is still
/// some steps away: foresee() tells what it will compute.  No answer.
struct BeginsSoon {};

struct Started {};  ///< gleaner_start() returns OK

/// The user's thread computes this part of the step: gleaner_step() returns
/// STEP, or gleaner_reduce() or gleaner_again() returns MORE.
struct BeginStep {
  msg::Step step = 0;
  std::uint64_t pass = 0;
  /// Another part of the step under way: to be added to the local gradients.
  /// Else zero them first.
  bool more = false;
  std::uint32_t shard = 0;         ///< which one this is, in deterministic mode
  Positions positions;             ///< of it, in Permutation(size, seed, pass)
  std::uint64_t global_batch = 0;  ///< planned samples over all members
  std::uint64_t samples_seen = 0;  ///< before this step
  std::uint32_t rank = 0;
  std::uint32_t world = 1;
};

/// From now on reduce the local gradients of `step` in the plane of
/// `generation`, all buckets from the first, each once it is complete here.
/// Right before launching the first bucket, which carries two more words, call
/// first_bucket_words(); when it is complete, first_bucket_done(); only then
/// may the other buckets be launched, as they overwrite the reduction of the
/// step before.  All complete: reduction_done(); or failed().
/// The plane is connected.  After StopPlanes the step's gradients are kept,
/// and reduced again when a later Reduce says so.
struct Reduce {
  msg::Generation generation = 0;
  msg::Step step = 0;
};

/// gleaner_reduce() returns OK with gradients = reduction x scale.  The raw
/// reduction stays as it is.
struct ApplyReduction {
  msg::Step step = 0;
  double scale = 1;
};

struct Leave {};  ///< the waiting call returns GLEANER_LEAVE
struct Done {};   ///< the waiting call returns GLEANER_DONE

using Action =
    std::variant<Send, ConnectPlane, DropPlane, StopPlanes, ServeState,
                 FetchState, PrepareFeed, Feed, EndFeed, FetchReduction,
                 WriteCheckpoint, LoadCheckpoint, BeginsSoon, Started,
                 BeginStep, Reduce, ApplyReduction, Leave, Done>;
using Actions = std::vector<Action>;

/// The two words that the first bucket of a step carries, summed over members.
struct FirstBucketWords {
  std::uint64_t not_ready = 1;  ///< 0: ready for the open offer
  std::uint64_t samples = 0;    ///< that this member's gradients are made of
};

/// Measured by the caller, for the record.
struct StepTiming {
  double duration_s = 0;  ///< end of the step before to the end of this one
  double reduce_s = 0;    ///< of which waiting for and doing the reduction
  double update_s = 0;    ///< that the registered update last took
};

}  // namespace session

/// Single-threaded: callers hold one lock around every call.
class Session {
 public:
  using Actions = session::Actions;

  /// Shares are computed in parts of at most `micro_batch_max` samples; 0: at
  /// once.
  Session(msg::MemberId self, SamplerOptions options, ShareRules rules = {},
          std::uint64_t micro_batch_max = 0);
  ~Session();
  Session(Session const&) = delete;
  Session& operator=(Session const&) = delete;

  // --- the user's thread ----------------------------------------------------
  /// Entered gleaner_start(); the caller has sent msg::Loaded.
  [[nodiscard]] Actions want_start();
  /// Entered gleaner_step(): the update of the step before is done.
  [[nodiscard]] Actions want_step();
  /// Entered gleaner_reduce(): the local gradients of the share are complete.
  [[nodiscard]] Actions want_reduction();
  /// Entered gleaner_again(): the part was not computed.  The step's shares are
  /// handed out again from the first, in parts of at most so many samples, from
  /// 1, here and in later steps; a Reduce that was ordered is void.  Where its
  /// first bucket was launched, no further one may be: the plane is reported as
  /// failed, and the parts come when it is stopped.  Not when all buckets were
  /// launched, nor with shards, which are computed at once.  Fails with
  /// invalid_argument, and nothing has happened, when the step is reduced.
  [[nodiscard]] Result<Actions> want_again(std::uint64_t micro_batch_max);
  /// gleaner_stop(): the training ends after the step whose reduction the
  /// user's thread was given last.  On all members, or the others wait for this
  /// one.
  void stop();
  /// gleaner_log(): sent when the step is stable.
  void log(std::string key, double value, std::uint64_t n);

  // --- the coordinator ------------------------------------------------------
  /// Every message may be passed; those that are not for the session (Welcome,
  /// PlaneBlobs, Heartbeat, Refused) and stale ones give no actions.
  [[nodiscard]] Actions on_message(msg::ToMember const& message);

  // --- answers to actions ---------------------------------------------------
  [[nodiscard]] Actions plane_connected(msg::Generation generation);
  [[nodiscard]] Actions plane_stopped();
  [[nodiscard]] Actions state_served(msg::Generation generation);
  [[nodiscard]] Actions state_requested(msg::Generation generation);
  /// This joiner has applied all that was fed, up to `step`.  Once is enough.
  [[nodiscard]] Actions caught_up(msg::Generation generation, msg::Step step);
  /// `header` is what the donor of stripe 0 sent with it.  Fails with
  /// invalid_argument when it cannot be read: then call failed().
  [[nodiscard]] Result<Actions> state_received(msg::Generation generation,
                                               std::string const& header);
  [[nodiscard]] Actions reduction_fetched(msg::Generation generation);
  [[nodiscard]] Result<Actions> checkpoint_loaded(msg::Generation generation,
                                                  std::string const& header);
  [[nodiscard]] Actions checkpoint_written(std::string const& path,
                                           std::uint64_t bytes);
  [[nodiscard]] Actions checkpoint_failed(std::string const& path,
                                          std::string const& why);
  /// What an action asked for cannot be done, or the plane broke.  The
  /// coordinator decides; until then the member waits.
  [[nodiscard]] Actions failed(msg::Generation generation,
                               std::string const& why);

  // --- the reduction --------------------------------------------------------
  /// Call right before launching the first bucket; nullopt: do not launch, the
  /// Reduce that this belongs to is void.
  [[nodiscard]] std::optional<session::FirstBucketWords> first_bucket_words(
      msg::Generation generation, msg::Step step);
  /// The sums of both words.  Fails with invalid_argument if they contradict
  /// the plan: some member computed other samples, and the result must not be
  /// used.
  [[nodiscard]] Result<Actions> first_bucket_done(msg::Generation generation,
                                                  msg::Step step,
                                                  std::uint64_t not_ready,
                                                  std::uint64_t samples);
  [[nodiscard]] Actions reduction_done(msg::Generation generation,
                                       msg::Step step,
                                       session::StepTiming timing);

  // --- what a caller may look at -------------------------------------------
  msg::Generation generation() const;
  /// Last step whose reduction is complete here; 0 before the first.
  msg::Step complete() const;
  /// Last step known to be complete at every member.
  msg::Step stable() const;
  /// This member's state may be a source for others.
  bool full() const;
  Sampler const& sampler() const;
  /// The part that this member will compute `ahead` parts after the one last
  /// handed out, or, after BeginsSoon, the ahead-th of all; nothing when there
  /// is none.  It comes true unless members are lost, or change before a switch
  /// that is known here.
  struct Forecast {
    std::uint64_t pass = 0;
    Positions positions;
  };
  std::optional<Forecast> foresee(std::uint32_t ahead) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gleaner::generation
