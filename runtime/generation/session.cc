// SPDX-License-Identifier: Apache-2.0
/// What does a member do when the coordinator speaks, or an answer comes?
#include "runtime/generation/session.hh"

#include <algorithm>
#include <cassert>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/generation/session_state.hh"

namespace gleaner::generation {
namespace {

std::optional<std::uint32_t> rank_of(
    std::vector<msg::MemberAddress> const& members, msg::MemberId id) {
  for (std::uint32_t rank = 0; rank < members.size(); ++rank)
    if (members[rank].member == id) return rank;
  return std::nullopt;
}

}  // namespace

using namespace session;

// --- the coordinator's word ------------------------------------------------

void Session::State::on(msg::Prepare const& message) {
  auto const rank = rank_of(message.members, self);
  if (message.generation <= highest || quiet || !rank) return;
  highest = message.generation;
  drop_pending();
  pending =
      PendingGeneration{message.generation, message.members, message.joiners};
  pending->follow = message.follow;
  out.push_back(ConnectPlane{message.generation, message.members, *rank});
  if (!message.follow || !has_state()) return;
  auto const [stripe, stripes] = stripe_of(message.members, message.joiners);
  out.push_back(
      PrepareFeed{message.generation, message.joiners, stripe, stripes});
}

void Session::State::announce_prepared() {
  // Without state this member will be given some: its program must wait.
  if (!pending || !pending->connected || pending->announced) return;
  if (!has_state() && !waits()) return;
  if (has_state() || !contains(pending->joiners, self)) {
    pending->announced = true;
    return send(msg::Prepared{pending->generation});
  }
  // A joiner's connections must exist, too, before anybody waits for them.
  if (std::exchange(pending->fetching, true)) return;
  FetchState fetch{pending->generation, {}, {}, pending->follow};
  for (auto const& member : pending->members)
    (contains(pending->joiners, member.member) ? fetch.joiners : fetch.donors)
        .push_back(member);
  out.push_back(std::move(fetch));
}

void Session::State::on(msg::Start const& message) {
  if (!pending || pending->generation != message.generation) return;
  if (message.source != self) return;  // the state comes by FetchState
  assert(!has_state() && waits());
  if (message.checkpoint.empty()) return become_source();
  stage = stage::WithoutState{message.checkpoint};
  out.push_back(LoadCheckpoint{message.generation, message.checkpoint});
}

void Session::State::become_source() {
  auto const next = *std::exchange(pending, std::nullopt);
  stage = stage::Training{};
  full = true;
  generation = next.generation;
  members = next.members;
  connected = true;
  serve(next.joiners);
  proceed();
}

void Session::State::on(msg::Offer const& message) {
  if (message.generation < highest || quiet || !has_state()) return;
  bool const stays = contains(message.members, self);
  if (stays && (!pending || pending->generation != message.generation)) return;
  highest = message.generation;
  offer.make(message);
}

void Session::State::on(msg::SwitchAhead const& message) {
  if (!pending || pending->generation != message.generation || has_state())
    return;
  auto const json = nlohmann::json::parse(message.sampler, nullptr, false);
  auto read = Sampler::parse(sampler.options(), json);
  if (!read) return;  // it will load when it begins
  pending->begins_at = *read;
  out.push_back(BeginsSoon{});
}

void Session::State::on(msg::Withdraw const& message) {
  if (quiet) return;
  auto const theirs = message.generation;
  if (is<stage::Left>() || parked() == theirs || generation >= theirs ||
      offer.is_agreed())
    return send(msg::Agreed{theirs, begun ? begun->plan.step : complete});
  // The word may already have made the agreement: it is known when the first
  // bucket completes.
  bool const is_on_its_way =
      offer.is_of(theirs) && begun && begun->said_ready && !begun->first_done;
  if (is_on_its_way)
    offer.withdraw_later();
  else
    answer_withdraw();
}

void Session::State::answer_withdraw() {
  if (offer.is_agreed())
    return send(msg::Agreed{offer.offer().generation, offer.last_before()});
  feeding = 0;  // to feed binds nobody
  msg::Generation theirs = highest;
  if (offer.exists()) theirs = offer.offer().generation;
  offer.drop();
  if (pending) {
    theirs = std::exchange(pending, std::nullopt)->generation;
    out.push_back(DropPlane{theirs});
  }
  send(msg::Withdrawn{theirs});
}

void Session::State::on(msg::Quiesce const& message) {
  if (message.generation <= highest) return;
  bool const already_stopped = stopped();
  highest = quiet = message.generation;
  offer.drop();
  pending.reset();
  old_plane.reset();
  failure_reported.reset();
  leave_stage();
  connected = false;
  feeding = 0;
  if (already_stopped) return send_status();
  if (stopping) return;  // one StopPlanes is enough; its answer is the latest
  stopping = true;
  out.push_back(StopPlanes{});
}

void Session::State::send_status() {
  lacking = false;
  msg::Status status{quiet, full, complete, std::nullopt};
  if (full && begun) status.begun = begun->plan;
  send(std::move(status));
}

void Session::State::on(msg::Resume const& message) {
  if (message.generation != quiet || stopping) return;
  assert(full && rank_of(message.members, self));
  quiet = 0;
  generation = message.generation;
  members = message.members;
  kept_plan = message.plan;
  reported = message.recorded;
  lacking = contains(message.lacking, self);
  out.push_back(ConnectPlane{generation, members, rank()});
  if (lacking) {
    assert(complete == message.complete - 1 && begun);
    auto const donor = rank_of(members, message.donor);
    assert(donor);
    out.push_back(
        FetchReduction{generation, message.complete, members[*donor]});
  } else {
    assert(complete == message.complete);
    if (begun) {
      // Shares do not move and gradients are kept; the sum is redone, once
      // what this member got of others' shares is computed too.
      assert(kept_plan && kept_plan->step == begun->plan.step);
      auto const handed_out = begun->handed_out;
      begun = planned(*kept_plan);
      begun->handed_out = handed_out;
      if (begun->kept == 0) begun.reset();  // nobody left has a sample of it
    }
  }
  // Every survivor has all steps before the last: they cannot be undone.
  now_stable(std::max(stable, message.complete - 1));
  proceed();
}

void Session::State::on(msg::Reset const& message) {
  if (message.generation < highest) return;
  highest = message.generation;
  drop_pending();
  quiet = 0;
  forget_training();
  proceed();
}

void Session::State::forget_training() {
  stage = stage::WithoutState{};
  full = connected = lacking = false;
  generation = 0;
  members.clear();
  complete = stable = reported = handed = 0;
  sampler = Sampler(sampler.options());
  begun.reset();
  apply_scale.reset();
  stops_after.reset();
  kept_plan.reset();
  history.clear();
  values.clear();
  checkpoints.clear();
}

void Session::State::on(msg::TakeCheckpoint const& message) {
  checkpoint_wanted = message.path;
  proceed();
}

void Session::State::on(msg::Recorded const& message) {
  while (!history.empty() && history.front().step <= message.step)
    history.pop_front();
}

void Session::State::on(msg::Release const&) {
  if (ending == Ending::none) ending = Ending::released;
  drop_pending();
  proceed();
}

void Session::State::on(msg::Finish const&) {
  ending = Ending::finished;
  drop_pending();
  proceed();
}

/// Also ends the wait for state: nobody will send it.
void Session::State::drop_pending() {
  if (pending) out.push_back(DropPlane{pending->generation});
  pending.reset();
}

void Session::State::report_failure(msg::Generation failed,
                                    std::string const& why) {
  if (quiet || failure_reported == failed) return;
  failure_reported = failed;
  send(msg::PrepareFailed{failed, why});
}

// --- the public face -------------------------------------------------------

Session::Session(msg::MemberId self, SamplerOptions options, ShareRules rules,
                 std::uint64_t micro_batch_max)
    : state_(std::make_unique<State>(self, options, rules)) {
  state_->micro_batch_max = micro_batch_max;
}
Session::~Session() = default;

Actions Session::want_start() {
  state_->user = UserThread::starting;
  state_->proceed();
  return std::exchange(state_->out, {});
}

Actions Session::want_step() {
  assert(!state_->begun && !state_->apply_scale);
  state_->user = UserThread::at_step;
  state_->proceed();
  return std::exchange(state_->out, {});
}

Actions Session::want_reduction() {
  state_->user = UserThread::reducing;
  state_->proceed();
  return std::exchange(state_->out, {});
}

Result<Actions> Session::want_again(std::uint64_t micro_batch_max) {
  assert(micro_batch_max > 0 && state_->rules.shards == 0);
  if (auto taken = state_->take_back_parts(); !taken) return taken.error();
  state_->micro_batch_max = micro_batch_max;
  return want_reduction();
}

void Session::stop() {
  auto& s = *state_;
  if (s.handed == 0) return;  // the step was taken away
  s.stops_after = s.complete;
}

void Session::log(std::string key, double value, std::uint64_t n) {
  auto& s = *state_;
  if (s.handed == 0) return;  // of no step, or of one that was taken away
  s.values.push_back({s.handed, std::move(key), value, n});
}

Actions Session::on_message(msg::ToMember const& message) {
  std::visit([&](auto const& m) { state_->on(m); }, message);
  return std::exchange(state_->out, {});
}

Actions Session::plane_connected(msg::Generation generation) {
  auto& s = *state_;
  if (s.pending && s.pending->generation == generation) {
    s.pending->connected = true;
    s.announce_prepared();
  } else if (!s.quiet && s.generation == generation && !s.connected) {
    s.connected = true;
    s.send(msg::Prepared{generation});
    s.reduce_if_possible();
  }
  return std::exchange(s.out, {});
}

Actions Session::plane_stopped() {
  auto& s = *state_;
  if (std::exchange(s.stopping, false) && s.quiet) {
    s.send_status();
    if (s.begun && std::exchange(s.begun->spoiled, false)) s.proceed();
  }
  return std::exchange(s.out, {});
}

Actions Session::state_served(msg::Generation generation) {
  auto& s = *state_;
  if (s.generation == generation && s.is<stage::Serving>()) {
    s.stage = stage::Training{};
    s.proceed();
  }
  return std::exchange(s.out, {});
}

Actions Session::state_requested(msg::Generation generation) {
  auto& s = *state_;
  if (!s.pending || s.pending->generation != generation ||
      !s.pending->fetching || std::exchange(s.pending->announced, true))
    return {};
  s.send(msg::Prepared{generation});
  return std::exchange(s.out, {});
}

Actions Session::caught_up(msg::Generation generation, msg::Step step) {
  auto& s = *state_;
  if (!s.pending || s.pending->generation != generation || s.has_state() ||
      !s.pending->follow || std::exchange(s.pending->caught_up, true))
    return {};
  s.send(msg::CaughtUp{generation, step});
  return std::exchange(s.out, {});
}

Result<Actions> Session::state_received(msg::Generation generation,
                                        std::string const& header) {
  auto& s = *state_;
  if (!s.pending || s.pending->generation != generation || s.has_state())
    return Actions{};
  assert(s.waits() && s.pending->announced);
  if (auto taken = s.take_header(header); !taken) return taken.error();
  auto const next = *std::exchange(s.pending, std::nullopt);
  s.stage = stage::Training{};
  s.generation = generation;
  s.members = next.members;
  s.connected = true;
  s.proceed();
  return std::exchange(s.out, {});
}

Actions Session::reduction_fetched(msg::Generation generation) {
  auto& s = *state_;
  if (!s.lacking || s.generation != generation || s.stopped()) return {};
  s.lacking = false;
  s.step_complete({});
  return std::exchange(s.out, {});
}

Result<Actions> Session::checkpoint_loaded(msg::Generation generation,
                                           std::string const& header) {
  auto& s = *state_;
  auto const* without = std::get_if<stage::WithoutState>(&s.stage);
  if (!s.pending || s.pending->generation != generation || !without ||
      without->loading.empty())
    return Actions{};
  if (auto taken = s.take_header(header); !taken) return taken.error();
  // A registered checkpoint's step is recorded, and nothing undoes it.
  s.stable = s.reported = s.complete;
  s.become_source();
  return std::exchange(s.out, {});
}

Actions Session::checkpoint_written(std::string const& path,
                                    std::uint64_t bytes) {
  auto& s = *state_;
  if (auto it = s.checkpoints.find(path); it != s.checkpoints.end()) {
    it->second.bytes = bytes;
    s.report_checkpoints();
  }
  return std::exchange(s.out, {});
}

Actions Session::checkpoint_failed(std::string const& path,
                                   std::string const& why) {
  auto& s = *state_;
  bool const known = s.checkpoints.erase(path) > 0 || s.is_loading(path);
  if (known)
    s.send(msg::CheckpointFailed{
        s.pending ? s.pending->generation : s.generation, path, why});
  return std::exchange(s.out, {});
}

Actions Session::failed(msg::Generation generation, std::string const& why) {
  auto& s = *state_;
  bool const current = s.generation == generation && generation != 0;
  bool const next = s.pending && s.pending->generation == generation;
  if (current || next) s.report_failure(generation, why);
  return std::exchange(s.out, {});
}

msg::Generation Session::generation() const { return state_->generation; }
msg::Step Session::complete() const { return state_->complete; }
msg::Step Session::stable() const { return state_->stable; }
bool Session::full() const { return state_->full; }
Sampler const& Session::sampler() const { return state_->sampler; }

}  // namespace gleaner::generation
