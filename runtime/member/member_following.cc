// SPDX-License-Identifier: Apache-2.0
/// How joiners follow: what members feed them, and what they do with it.
#include <cstdlib>

#include "core/clock.hh"
#include "runtime/member/feeder.hh"
#include "runtime/member/following.hh"
#include "runtime/member/member.hh"
#include "runtime/member/state_moves.hh"

namespace gleaner::member {

/// A face of the library may know better than the library.
std::string Member::why_no_update() {
  char const* why = std::getenv("GLEANER_COPY_WHY");
  return why && *why ? why : "the program registered no update";
}

/// Why the state must be copied to joiners of this program; "": they may
/// follow.
std::string Member::why_copy() const {
  if (!update_) return why_no_update();
  if (shard_sums_) return "deterministic mode";
  if (device_) return "the state is in memory of a GPU";
  return "";
}

// --- a member that feeds ---------------------------------------------------

void Member::do_one(generation::session::PrepareFeed const& action) {
  stop_feed();
  feeder_ = std::make_shared<Feeder>(data_.permit(action.generation), action,
                                     registry_, gradients_);
  background_.run([feeder = feeder_] { feeder->provide(); });
}

/// The program's blobs are its thread's to make.
void Member::do_one(generation::session::Feed const& action) {
  add_task(action.generation, Task::Kind::transfer,
           [this, action, permit = data_.permit(action.generation)] {
             feed(action, permit);
           });
}

/// NULL when it was stopped.
std::shared_ptr<Feeder> Member::feeder_of(msg::Generation generation) {
  Lock lock(mutex_);
  return feeder_ && feeder_->generation() == generation ? feeder_ : nullptr;
}

void Member::feed(generation::session::Feed const& action,
                  DataService::Permit const& permit) {
  auto const feeder = feeder_of(action.generation);
  if (!feeder) return;
  auto header = header_of(*feeder, action.header);
  auto const begun =
      header ? feeder->begin(std::move(*header)) : Result<void>(header.error());
  Lock lock(mutex_);
  if (!begun)
    return perform(session_.failed(action.generation, begun.error().message));
  in_background([this, feeder, permit] {
    auto const done = feeder->run(data_);
    Lock lock(mutex_);
    if (!done && data_.valid(permit))
      perform(session_.failed(feeder->generation(), done.error().message));
  });
}

/// What the first of those that feed sends beside tensors.
Result<std::string> Member::header_of(Feeder const& feeder,
                                      std::string const& session) {
  if (!feeder.is_first()) return std::string();
  auto blobs = registry_.save_blobs();
  if (!blobs) return blobs.error();
  return state::StateHeader{schema_, session, std::move(*blobs)}.to_text();
}

void Member::do_one(generation::session::EndFeed const& action) {
  add_task(action.generation, Task::Kind::transfer,
           [this, action] { end_feed(action); });
}

void Member::end_feed(generation::session::EndFeed const& action) {
  auto const feeder = feeder_of(action.generation);
  if (!feeder) return;
  auto header = header_of(*feeder, action.header);
  {
    Lock lock(mutex_);
    feeder_.reset();  // what waits is still sent
    if (!header) {
      feeder->stop();
      data_.abort(action.generation);  // the joiners see it fail
      return post(msg::MemberError{header.error().message});
    }
  }
  feeder->end(std::move(*header),
              buffers_fed(registry_, feeder->is_first() ? 0 : 1));
  send_digest(action.generation, action.step);
}

/// On the user's thread: the update comes next.
void Member::feed_step(generation::session::ApplyReduction const& result) {
  std::shared_ptr<Feeder> feeder;
  {
    Lock lock(mutex_);
    feeder = feeder_;
  }
  if (!feeder) return;
  msg::Reduced step;
  step.step = result.step;
  step.scale = result.scale;
  step.pass = step_.pass;
  step.global_batch = step_.global_batch;
  step.samples_seen = step_.samples_seen;
  step.world = step_.world;
  feeder->reduced(step);
  feeder->keep_state();
}

/// Locked.  The program has not let Gleaner make the update of a step, so it
/// cannot be made elsewhere.
void Member::no_update_made() {
  if (!feeder_) return;
  auto const generation = feeder_->generation();
  stop_feed();
  perform(session_.failed(
      generation, "the program made an update without gleaner_apply()"));
}

/// Locked.
void Member::stop_feed() {
  if (feeder_) feeder_->stop();
  feeder_.reset();
}

// --- a joiner that follows -------------------------------------------------

/// On the user's thread, inside gleaner_start(): from the state that was fed
/// to that of the switch, and the header of that.
Result<state::StateHeader> Member::follow(
    generation::session::FetchState const& action,
    StateSources const& sources) {
  for (;;) {
    auto next = receive_next(sources, gradients_, registry_);
    if (!next) return next.error();
    if (auto* header = std::get_if<state::StateHeader>(&*next))
      return std::move(*header);
    auto const& step = std::get<FollowedStep>(*next);
    if (auto made = update_as(step.reduced); !made) return made.error();
    // While the update took its time more may have come.
    if (!step.is_newest || more_waits(sources)) continue;
    Lock lock(mutex_);
    perform(session_.caught_up(action.generation, step.reduced.step));
  }
}

/// The update of a step that this member has no part in.
Result<void> Member::update_as(msg::Reduced const& reduced) {
  step_ = {};
  step_.step = reduced.step;
  step_.pass = reduced.pass;
  step_.global_batch = reduced.global_batch;
  step_.samples_seen = reduced.samples_seen;
  step_.world = reduced.world;
  samples_.clear();
  auto const taken = gradients_.take_result(reduced.step, reduced.scale);
  if (!taken) return taken;
  phase_ = Phase::reduced;
  auto const code = apply();
  phase_ = Phase::registering;
  if (code == GLEANER_OK) return {};
  return Error{Errc::invalid_argument, error_};
}

}  // namespace gleaner::member
