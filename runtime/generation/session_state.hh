// SPDX-License-Identifier: Apache-2.0
/// What does a member's half of the protocol remember?  Private to session*.cc.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <variant>

#include "runtime/generation/member_ids.hh"
#include "runtime/generation/open_offer.hh"
#include "runtime/generation/session.hh"

namespace gleaner::generation {

/// A step that this member computes: planned, not yet reduced here.
struct BegunStep {
  BegunStep(msg::StepPlan plan, Sampler before)
      : plan(std::move(plan)), after(std::move(before)) {}

  bool all_handed_out() const { return handed_out.shares == mine.size(); }
  std::uint64_t my_samples() const {
    std::uint64_t n = 0;
    for (auto const& share : mine) n += count(share.positions);
    return n;
  }

  msg::StepPlan plan;
  Sampler after;        ///< what is not computed after all handed back
  Positions committed;  ///< by the members that are not gone
  std::vector<Share> mine;
  Progress handed_out;        ///< of `mine`, to the user's thread
  std::uint64_t planned = 0;  ///< samples, those of gone members included
  std::uint64_t kept = 0;     ///< samples of `committed`

  msg::Generation reduced_in = 0;  ///< of the last Reduce; 0: none yet
  std::uint32_t world = 0;         ///< members of that generation
  bool launched = false;           ///< its first bucket, in that generation
  bool said_ready = false;         ///< in that first bucket
  bool first_done = false;
  bool spoiled = false;  ///< it is on its way, and will be computed again
};

/// A generation that is prepared beside the one in use.
struct PendingGeneration {
  msg::Generation generation = 0;
  std::vector<msg::MemberAddress> members;
  std::vector<msg::MemberId> joiners;
  bool connected = false;
  bool follow = false;     ///< joiners do
  bool fetching = false;   ///< FetchState was ordered
  bool announced = false;  ///< Prepared was sent
  /// Before this member's first step, if that is known.
  std::optional<Sampler> begins_at{};
  bool caught_up = false;  ///< said so
};

/// A checkpoint between WriteCheckpoint and its report.
struct WrittenCheckpoint {
  msg::Step step = 0;
  std::uint64_t samples_seen = 0;
  msg::Generation park = 0;            ///< written for this park; 0: none
  std::optional<std::uint64_t> bytes;  ///< known once it is written
};

enum class UserThread { outside, starting, at_step, reducing };

/// What this member has of the training, and what it waits for.
namespace stage {
struct WithoutState {
  std::string loading;  ///< path of the checkpoint being loaded; "": none
};
struct Training {};
struct Serving {};   ///< gives joiners their state, at the switch
struct Finished {};  ///< has computed the last step, and said so
struct Left {};      ///< switched out: waits for Release
struct Parked {
  msg::Generation generation = 0;  ///< of the park's offer
};
}  // namespace stage
using Stage = std::variant<stage::WithoutState, stage::Training, stage::Serving,
                           stage::Finished, stage::Left, stage::Parked>;

/// How the coordinator ends this member's part in the training.
enum class Ending { none, released, finished };

struct Session::State {
  State(msg::MemberId self, SamplerOptions options, ShareRules rules)
      : self(self), rules(rules), sampler(options) {}

  msg::MemberId const self;
  ShareRules const rules;
  Actions out;  ///< of the call in progress

  // The user's thread.
  UserThread user = UserThread::outside;
  msg::Step handed = 0;               ///< last step given to it
  std::uint64_t micro_batch_max = 0;  ///< samples that it computes at once
  std::deque<msg::LogValue> values;   ///< logged, not yet stable

  // The state of the training here.
  Stage stage;
  bool full = false;  ///< a first bucket completed with it, or it is the source
  msg::Step complete = 0;
  msg::Step stable = 0;
  Sampler sampler;                    ///< after step `complete`
  std::optional<BegunStep> begun;     ///< step complete + 1
  std::optional<double> apply_scale;  ///< reduced; the user has not got it yet
  std::optional<msg::Step> stops_after;  ///< by the program's word
  std::deque<msg::Stable> history;       ///< steps the coordinator may ask for
  msg::Step reported = 0;                ///< what rank 0 has sent as stable

  // The generation in use, and those around it.
  msg::Generation highest = 0;  ///< seen; lower ones are not obeyed
  msg::Generation generation = 0;
  std::vector<msg::MemberAddress> members;
  bool connected = false;
  std::optional<msg::Generation> old_plane;  ///< until others have left it
  std::optional<PendingGeneration> pending;
  OpenOffer offer;
  msg::Generation feeding = 0;  ///< joiners of this generation
  bool lacking = false;         ///< fetching the reduction of complete + 1
  std::optional<msg::StepPlan> kept_plan;  ///< of the step after Resume's
  std::optional<msg::Generation> failure_reported;

  // Quiet: between Quiesce and Resume or Reset.
  msg::Generation quiet = 0;
  bool stopping = false;  ///< StopPlanes is not answered yet

  Ending ending = Ending::none;
  std::string checkpoint_wanted;
  std::map<std::string, WrittenCheckpoint> checkpoints;

  // session.cc: the coordinator's word.
  void on(msg::Prepare const& message);
  void on(msg::Start const& message);
  void on(msg::Offer const& message);
  void on(msg::SwitchAhead const& message);
  void on(msg::Withdraw const& message);
  void on(msg::Quiesce const& message);
  void on(msg::Resume const& message);
  void on(msg::Reset const& message);
  void on(msg::TakeCheckpoint const& message);
  void on(msg::Recorded const& message);
  void on(msg::Release const&);
  void on(msg::Finish const&);
  void on(msg::Welcome const&) {}
  void on(msg::PlaneBlobs const&) {}
  void on(msg::Heartbeat const&) {}
  void on(msg::Refused const&) {}
  void become_source();
  void drop_pending();
  void announce_prepared();
  void send_status();
  void forget_training();
  void answer_withdraw();

  // session_step.cc: from step to step.
  void proceed();
  void at_boundary();
  void announce_switch();
  void switch_over(msg::Offer const& next);
  void park();
  void serve(std::vector<msg::MemberId> const& joiners);
  void feed(msg::Offer const& next);
  /// This member's stripe among the members that are no joiners.
  struct Stripe {
    std::uint32_t stripe = 0;
    std::uint32_t stripes = 0;
  };
  Stripe stripe_of(std::vector<msg::MemberAddress> const& members,
                   std::vector<msg::MemberId> const& joiners) const;
  void begin(BegunStep step);
  void hand_out_part();
  Result<void> take_back_parts();
  void report_failure(msg::Generation generation, std::string const& why);
  void forget_values_of_step();
  msg::StepPlan plan_of_next_step() const;
  std::vector<msg::MemberId> members_foreseen(msg::Step step) const;
  BegunStep planned(msg::StepPlan plan) const;
  void reduce_if_possible();
  void step_complete(session::StepTiming timing);
  void now_stable(msg::Step step);
  void send_values(msg::Step up_to);
  void report_history(msg::Step up_to);
  void report_tentative(msg::Generation generation);
  void report_checkpoints();
  void write_checkpoint(std::string const& path, msg::Generation park);
  void report_finished();
  void end(session::Action how);

  // What the state is, for joiners and for files.
  enum class History { with, without };
  std::string header(History history, msg::Generation in) const;
  Result<void> take_header(std::string const& text);

  /// Quiet, and nothing can complete any more.
  bool stopped() const { return quiet != 0 && !stopping; }
  bool is_reducing(msg::Generation generation, msg::Step step) const;
  template <class What>
  bool is() const {
    return std::holds_alternative<What>(stage);
  }
  bool has_state() const { return !is<stage::WithoutState>(); }
  bool is_loading(std::string const& path) const {
    auto const* without = std::get_if<stage::WithoutState>(&stage);
    return without && !path.empty() && without->loading == path;
  }
  /// Of the park's offer, once at its boundary; 0: not parked.
  msg::Generation parked() const {
    auto const* park = std::get_if<stage::Parked>(&stage);
    return park ? park->generation : 0;
  }
  /// Quiet, or to begin again: what it has of the training stays.
  void leave_stage() {
    if (has_state())
      stage = stage::Training{};
    else
      stage = stage::WithoutState{};
  }
  bool waits() const { return user != UserThread::outside; }
  bool is_rank_0() const {
    return !members.empty() && members.front().member == self;
  }
  std::uint32_t rank() const;
  void send(msg::FromMember message) {
    out.push_back(session::Send{std::move(message)});
  }
};

}  // namespace gleaner::generation
