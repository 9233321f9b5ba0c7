// SPDX-License-Identifier: Apache-2.0
/// How does a member get from one step to the next?
#include <algorithm>
#include <cassert>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/generation/session_state.hh"

namespace gleaner::generation {

using namespace session;

// --- the boundary between two steps ----------------------------------------

void Session::State::proceed() {
  if (!waits()) return;
  if (ending == Ending::finished) {
    send_values(complete);
    return end(Done{});
  }
  if (ending == Ending::released) {
    // The coordinator knows which of its steps are kept.
    send_values(handed);
    return end(Leave{});
  }
  if (apply_scale && user == UserThread::reducing)
    return end(ApplyReduction{complete, *std::exchange(apply_scale, {})});
  if (begun && !begun->all_handed_out() && !begun->spoiled &&
      user == UserThread::reducing)
    return hand_out_part();  // nothing is being reduced until it is computed
  announce_prepared();
  if (!has_state() || is<stage::Serving>() || is<stage::Left>()) return;
  if (quiet || lacking || begun) return;
  if (user == UserThread::starting) return end(Started{});
  at_boundary();
}

void Session::State::end(Action how) {
  user = UserThread::outside;
  out.push_back(std::move(how));
}

void Session::State::at_boundary() {
  if (!checkpoint_wanted.empty())
    write_checkpoint(std::exchange(checkpoint_wanted, {}), 0);
  if (parked()) return;
  if (stops_after == complete) return report_finished();
  if (auto const next = offer.take_to_feed()) feed(*next);
  if (kept_plan && kept_plan->step == complete + 1) {
    auto step = planned(*kept_plan);
    kept_plan.reset();
    if (step.kept > 0) return begin(std::move(step));
  }
  if (sampler.done()) return report_finished();
  if (auto const next = offer.take_to_switch(complete))
    return switch_over(*next);
  begin(planned(plan_of_next_step()));
}

msg::StepPlan Session::State::plan_of_next_step() const {
  msg::StepPlan plan{complete + 1, {}, {}};
  for (auto const& member : members) plan.members.push_back(member.member);
  return plan;
}

void Session::State::report_finished() {
  if (is<stage::Finished>()) return;
  stage = stage::Finished{};
  send_values(complete);
  report_history(complete - 1);
  report_tentative(generation);
  send(msg::Finished{generation, complete});
}

/// All members know it now; joiners are to load what they will compute.
void Session::State::announce_switch() {
  auto const& next = offer.offer();
  if (!is_rank_0() || next.lead == 0 || next.joiners.empty()) return;
  auto then = begun->after;
  for (auto left = next.lead; left > 0 && !then.done(); --left) then.take();
  send(msg::SwitchAhead{next.generation, offer.last_before() + 1,
                        then.to_json().dump()});
}

void Session::State::switch_over(msg::Offer const& next) {
  auto const first = complete + 1;
  bool const stays = pending && pending->generation == next.generation;
  if (!stays) send_values(complete);  // it computes nothing after this step
  if (next.members.empty()) {
    stage = stage::Parked{next.generation};
    report_tentative(next.generation);
    send(msg::Switched{next.generation, first});
    if (is_rank_0()) write_checkpoint(next.checkpoint, next.generation);
    return;
  }
  send(msg::Switched{next.generation, first});
  if (!stays) {
    stage = stage::Left{};  // state and plane stay until Release
    return;
  }
  old_plane = generation;
  generation = next.generation;
  members = std::exchange(pending, std::nullopt)->members;
  connected = true;
  serve(next.joiners);
  proceed();
}

Session::State::Stripe Session::State::stripe_of(
    std::vector<msg::MemberAddress> const& members,
    std::vector<msg::MemberId> const& joiners) const {
  Stripe found;
  for (auto const& member : members) {
    if (contains(joiners, member.member)) continue;
    if (member.member == self) found.stripe = found.stripes;
    ++found.stripes;
  }
  return found;
}

void Session::State::serve(std::vector<msg::MemberId> const& joiners) {
  if (joiners.empty()) return;
  if (feeding == generation) {
    feeding = 0;
    out.push_back(
        EndFeed{generation, complete, header(History::with, generation)});
    return;
  }
  auto const [stripe, stripes] = stripe_of(members, joiners);
  stage = stage::Serving{};
  out.push_back(ServeState{generation, complete, joiners, stripe, stripes,
                           header(History::with, generation)});
}

/// The generation goes on meanwhile; who is not in the next has no part in it.
void Session::State::feed(msg::Offer const& next) {
  if (!pending || pending->generation != next.generation) return;
  feeding = next.generation;
  out.push_back(
      Feed{next.generation, complete, header(History::with, next.generation)});
}

std::uint32_t Session::State::rank() const {
  std::uint32_t rank = 0;
  while (rank < members.size() && members[rank].member != self) ++rank;
  assert(rank < members.size());
  return rank;
}

// --- a step ----------------------------------------------------------------

BegunStep Session::State::planned(msg::StepPlan plan) const {
  BegunStep step(std::move(plan), sampler);
  auto const taken = step.after.take();
  auto shares = shares_of_step(step.plan, taken, rules, self);
  step.mine = std::move(shares.mine);
  step.committed = std::move(shares.committed);
  step.after.give_back(shares.handed_back);
  step.planned = count(taken);
  step.kept = count(step.committed);
  return step;
}

void Session::State::begin(BegunStep step) {
  begun = std::move(step);
  handed = begun->plan.step;
  forget_values_of_step();
  hand_out_part();
}

void Session::State::forget_values_of_step() {
  while (!values.empty() && values.back().step >= handed)
    values.pop_back();  // of this step's first try
}

void Session::State::hand_out_part() {
  bool const more = begun->handed_out != Progress{};
  auto const part = next_part(begun->mine, begun->handed_out, micro_batch_max);
  end(BeginStep{handed, begun->after.pass(), more, part.shard, part.positions,
                begun->planned, sampler.samples_seen(), rank(),
                static_cast<std::uint32_t>(members.size())});
  reduce_if_possible();
}

/// The step begins again.  What is on its way of it must not be written to, and
/// is no use to others: then it does so once planes are stopped.
Result<void> Session::State::take_back_parts() {
  if (apply_scale)
    return Error{Errc::invalid_argument,
                 "step " + std::to_string(handed) +
                     " cannot be computed again (it is reduced)"};
  if (!begun) return {};  // it was taken away
  begun->handed_out = {};
  begun->spoiled = begun->launched && !stopped();
  if (!begun->spoiled) begun->reduced_in = 0;
  forget_values_of_step();
  if (begun->spoiled)
    report_failure(generation, "member " + std::to_string(self) +
                                   " computes step " + std::to_string(handed) +
                                   " again: it lacked memory");
  return {};
}

void Session::State::reduce_if_possible() {
  if (!begun || !begun->all_handed_out()) return;
  if (!connected || quiet || lacking) return;
  if (begun->reduced_in == generation) return;
  begun->reduced_in = generation;
  begun->world = members.size();
  out.push_back(Reduce{generation, begun->plan.step});
}

bool Session::State::is_reducing(msg::Generation in, msg::Step step) const {
  return begun && begun->plan.step == step && begun->reduced_in == in &&
         generation == in && !stopped();
}

std::optional<FirstBucketWords> Session::first_bucket_words(
    msg::Generation generation, msg::Step step) {
  auto& s = *state_;
  if (!s.is_reducing(generation, step) || s.quiet || s.begun->launched)
    return std::nullopt;
  s.begun->launched = true;
  s.begun->said_ready = s.offer.exists();
  return FirstBucketWords{s.begun->said_ready ? 0u : 1u, s.begun->my_samples()};
}

Result<Actions> Session::first_bucket_done(msg::Generation generation,
                                           msg::Step step,
                                           std::uint64_t not_ready,
                                           std::uint64_t samples) {
  auto& s = *state_;
  if (!s.is_reducing(generation, step) || !s.begun->launched ||
      s.begun->first_done)
    return Actions{};
  if (samples != s.begun->kept)
    return Error{Errc::invalid_argument,
                 "step " + std::to_string(step) + " was made of " +
                     std::to_string(samples) + " samples, planned were " +
                     std::to_string(s.begun->kept) +
                     " (members disagree: its gradients cannot be used)"};
  if (not_ready == 0 && !s.begun->said_ready)
    return Error{Errc::invalid_argument,
                 "step " + std::to_string(step) +
                     " agreed to an offer that this member was not ready for"};
  s.begun->first_done = true;
  s.full = true;
  if (s.old_plane)
    s.out.push_back(DropPlane{*std::exchange(s.old_plane, std::nullopt)});
  if (!s.quiet) {
    bool const answer_is_due = s.offer.is_withdrawing();
    if (!s.offer.is_agreed() && not_ready == 0) {
      s.offer.all_ready(step);
      if (s.offer.is_agreed()) s.announce_switch();
    }
    if (answer_is_due) s.answer_withdraw();
  }
  s.now_stable(step - 1);
  return std::exchange(s.out, {});
}

Actions Session::reduction_done(msg::Generation generation, msg::Step step,
                                StepTiming timing) {
  auto& s = *state_;
  if (!s.is_reducing(generation, step) || !s.begun->first_done) return {};
  assert(!s.begun->spoiled);
  s.step_complete(timing);
  return std::exchange(s.out, {});
}

void Session::State::step_complete(StepTiming timing) {
  auto const step = *std::exchange(begun, std::nullopt);
  complete = step.plan.step;
  sampler = step.after;
  apply_scale = double(step.planned) / double(step.kept);
  msg::Stable record;
  record.step = complete;
  record.reduced_in = step.reduced_in;
  record.world = step.world;
  record.pass = sampler.pass();
  record.taken = step.committed;
  record.samples_seen = sampler.samples_seen();
  record.duration_s = timing.duration_s;
  record.reduce_s = timing.reduce_s;
  record.update_s = timing.update_s;
  history.push_back(std::move(record));
  proceed();
}

// --- what may be shown outside ---------------------------------------------

void Session::State::now_stable(msg::Step step) {
  stable = std::max(stable, step);
  report_history(stable);
  send_values(stable);
  report_checkpoints();
}

void Session::State::report_history(msg::Step up_to) {
  if (is_rank_0()) {
    for (auto record : history) {
      if (record.step <= reported || record.step > up_to) continue;
      record.generation = generation;
      send(std::move(record));
    }
  }
  reported = std::max(reported, up_to);
}

void Session::State::report_tentative(msg::Generation in) {
  if (!is_rank_0() || history.empty() || history.back().step <= reported)
    return;
  auto record = history.back();
  record.generation = in;
  record.tentative = true;
  send(std::move(record));
}

/// Steps after the last stable one may still be undone: their values count when
/// the coordinator has recorded them.
void Session::State::send_values(msg::Step up_to) {
  msg::LogValues message;
  while (!values.empty() && values.front().step <= up_to) {
    message.values.push_back(std::move(values.front()));
    values.pop_front();
  }
  if (!message.values.empty()) send(std::move(message));
}

void Session::State::write_checkpoint(std::string const& path,
                                      msg::Generation park) {
  checkpoints[path] = {complete, sampler.samples_seen(), park, std::nullopt};
  if (path.empty()) {  // a park that keeps no state: only where it ended counts
    checkpoints[path].bytes = 0;
    return report_checkpoints();
  }
  out.push_back(WriteCheckpoint{
      path, park ? park : generation, complete, sampler.samples_seen(),
      header(History::without, park ? park : generation)});
}

void Session::State::report_checkpoints() {
  for (auto it = checkpoints.begin(); it != checkpoints.end();) {
    auto const& [path, checkpoint] = *it;
    bool const kept = checkpoint.step <= stable ||
                      (parked() != 0 && checkpoint.park == parked());
    if (!kept || !checkpoint.bytes) {
      ++it;
      continue;
    }
    send(msg::Checkpointed{parked() ? parked() : generation, checkpoint.step,
                           path, *checkpoint.bytes, checkpoint.samples_seen});
    it = checkpoints.erase(it);
  }
}

std::optional<Session::Forecast> Session::foresee(std::uint32_t ahead) const {
  auto const& s = *state_;
  bool const begins_soon = s.pending && s.pending->begins_at;
  if (ahead == 0 || !(s.begun || begins_soon)) return std::nullopt;
  auto sampler = s.begun ? s.begun->after : *s.pending->begins_at;
  auto step = s.begun ? s.begun->plan.step : msg::Step{0};
  auto shares = s.begun ? s.begun->mine : std::vector<Share>();
  auto handed_out = s.begun ? s.begun->handed_out : Progress();
  for (;;) {
    while (handed_out.shares < shares.size()) {
      auto const part = next_part(shares, handed_out, s.micro_batch_max);
      if (--ahead == 0) return Forecast{sampler.pass(), part.positions};
    }
    auto const members = s.members_foreseen(++step);
    bool const leaves =
        std::find(members.begin(), members.end(), s.self) == members.end();
    if (sampler.done() || leaves) return std::nullopt;
    shares =
        shares_of_step({step, members, {}}, sampler.take(), s.rules, s.self)
            .mine;
    handed_out = {};
  }
}

/// In rank order.
std::vector<msg::MemberId> Session::State::members_foreseen(
    msg::Step step) const {
  if (offer.is_agreed() && step > offer.last_before())
    return offer.offer().members;
  std::vector<msg::MemberId> ids;
  for (auto const& member : begun ? members : pending->members)
    ids.push_back(member.member);
  return ids;
}

// --- the header of state that moves ----------------------------------------

std::string Session::State::header(History which, msg::Generation in) const {
  auto steps = nlohmann::json::array();
  if (which == History::with)
    for (auto const& record : history) steps.push_back(msg::to_json(record));
  return nlohmann::json{{"generation", in},
                        {"step", complete},
                        {"stable", stable},
                        {"sampler", sampler.to_json()},
                        {"history", steps}}
      .dump();
}

Result<void> Session::State::take_header(std::string const& text) {
  auto const json = nlohmann::json::parse(text, nullptr, false);
  auto const refuse = [](std::string const& why) {
    return Error{Errc::invalid_argument,
                 "cannot read the header of the state (" + why + ")"};
  };
  if (!json.is_object() || !json.contains("step") ||
      !json["step"].is_number_integer() || !json.contains("stable") ||
      !json["stable"].is_number_integer() || !json.contains("sampler") ||
      !json.contains("history") || !json["history"].is_array())
    return refuse("step, stable, sampler or history is missing");
  auto read = Sampler::parse(sampler.options(), json["sampler"]);
  if (!read) return refuse(read.error().message);
  std::deque<msg::Stable> steps;
  for (auto const& item : json["history"]) {
    auto message = msg::parse_from_member(item);
    if (!message) return refuse(message.error().message);
    auto const* record = std::get_if<msg::Stable>(&*message);
    if (!record) return refuse("history is of something else");
    steps.push_back(*record);
  }
  sampler = *read;
  history = std::move(steps);
  complete = json["step"].get<msg::Step>();
  stable = reported = json["stable"].get<msg::Step>();
  return {};
}

}  // namespace gleaner::generation
