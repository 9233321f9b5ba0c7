// SPDX-License-Identifier: Apache-2.0
/// What has the training done for certain, and is it over?
#include <algorithm>
#include <cassert>
#include <utility>

#include "runtime/generation/membership_state.hh"

namespace gleaner {

using namespace membership;

// --- steps -----------------------------------------------------------------

void Membership::State::on(MemberEntry&, msg::Stable const& message) {
  if (!message.tentative) {
    if (change && message.generation == change->generation)
      change->all_full = true;
    if (message.generation == generation && !recovery) {
      settled = true;
      vain_resumes = 0;
      loading.clear();
    }
  }
  record_steps(ledger.on_stable(message));
}

void Membership::State::record_steps(std::vector<msg::Stable> const& steps) {
  // Members keep so many steps more.
  auto const recorded_delay =
      msg::Step(std::max<std::size_t>(64, members.size()));
  for (auto const& step : steps) {
    auto taken = nlohmann::json::array();
    for (auto const& interval : step.taken)
      taken.push_back({interval.first, interval.last});
    out.record("step", {{"generation", step.reduced_in},
                        {"step", step.step},
                        {"pass", step.pass},
                        {"taken", taken},
                        {"samples_seen", step.samples_seen},
                        {"duration_s", step.duration_s},
                        {"reduce_s", step.reduce_s},
                        {"world", step.world}});
    resize_cost.step(step.step, step.duration_s);
    step_median.add(step.duration_s);
    if (step.update_s > 0) update_s = step.update_s;
    record_resize(resize_cost.take_measured());
  }
  announce_checkpoint();
  if (ledger.recorded() < told_recorded ||
      ledger.recorded() >= told_recorded + recorded_delay) {
    told_recorded = ledger.recorded();
    out.send_all(members, msg::Recorded{told_recorded});
  }
}

void Membership::State::record_resize(std::optional<Resize> const& resize) {
  if (!resize) return;
  out.record("resize", {{"generation", resize->generation},
                        {"kind", resize->kind},
                        {"from", resize->from},
                        {"to", resize->to},
                        {"prepare_s", resize->prepare_s},
                        {"stall_s", resize->stall_s}});
}

void Membership::State::record_generation(std::string const& kind,
                                          std::string const& cause, int from,
                                          double prepare_s, msg::Step first,
                                          Change const* joined) {
  auto const to = kind == "park" ? 0 : nodes_in_use;
  nlohmann::json fields = {
      {"generation", kind == "park" ? last_generation : generation},
      {"kind", kind},
      {"from", from},
      {"to", to},
      {"nodes", table.nodes_of(members).to_string()},
      {"members", members},
      {"cause", cause},
      {"prepare_s", prepare_s},
      {"step", first}};
  if (joined && !joined->joiners.empty()) {
    fields["joiners"] = joined->follow ? "followed" : "copied";
    if (!joined->follow) fields["copied_why"] = joined->copy_why;
  }
  out.record("generation", std::move(fields));
  if (from == 0 || to == 0) return;  // nothing stood still
  record_resize(resize_cost.take_unfinished());
  resize_cost.begin({generation, kind, from, to, prepare_s, first, 0});
}

// --- values ----------------------------------------------------------------

void Membership::State::on(MemberEntry&, msg::LogValues const& message) {
  for (auto const& value : message.values) log_means.add(value);
}

/// A value of a step is sent before the step after the next begins, with the
/// next heartbeat at the latest: so the mean is whole when every member has
/// said that it is further.
void Membership::State::check_values() {
  constexpr double period_s = 0.25;
  constexpr msg::Step delay = 3;
  if (log_means.empty() || now - values_shown_s < period_s) return;
  values_shown_s = now;
  auto until = ledger.recorded();
  for (auto const id : members) {
    auto const& alive = table.at(id).alive;
    until = std::min(until, alive ? alive->step - delay : 0);
  }
  record_log_until(until);
}

void Membership::State::record_log_until(msg::Step step) {
  for (auto const& mean : log_means.take_until(step))
    out.record("log", {{"step", mean.step},
                       {"key", mean.key},
                       {"value", mean.value},
                       {"max", mean.max},
                       {"n", mean.n}});
}

// --- checkpoints -----------------------------------------------------------

std::string Membership::State::next_checkpoint_path() {
  return options.checkpoint_prefix + std::to_string(++checkpoints) +
         ".safetensors";
}

void Membership::State::check_checkpoint() {
  if (options.checkpoint_interval_s <= 0 || generation == 0 || !settled ||
      recovery || now - checkpoint_s < options.checkpoint_interval_s)
    return;
  if (checkpoint_asked) {
    if (now - checkpoint_s > 10 * options.checkpoint_interval_s)
      forget_checkpoint_asked();  // it is not coming; ask again
    return;
  }
  auto const newest = ledger.newest();
  if (newest && newest->step >= ledger.recorded()) return;
  checkpoint_s = now;
  checkpoint_asked = Asked{members.front(), next_checkpoint_path()};
  ledger.checkpoint_asked();
  out.send(members.front(), msg::TakeCheckpoint{checkpoint_asked->path});
}

void Membership::State::forget_checkpoint_asked() {
  ledger.add_orphan(std::exchange(checkpoint_asked, std::nullopt)->path);
}

void Membership::State::on(MemberEntry& from,
                           msg::Checkpointed const& message) {
  if (change && change->kind == "park" && change->checkpoint == message.path)
    return park(message);
  if (!checkpoint_asked || checkpoint_asked->path != message.path ||
      checkpoint_asked->member != from.id)
    return ledger.add_orphan(message.path);
  checkpoint_asked.reset();
  written[message.path] = message;
  ledger.add_checkpoint({message.path, message.step, message.samples_seen});
  announce_checkpoint();
}

void Membership::State::announce_checkpoint() {
  auto const registered = ledger.take_registered();
  if (!registered) return;
  out.add(*registered);
  auto const it = written.find(registered->path);
  if (it == written.end()) return;
  out.record("checkpoint", {{"step", it->second.step},
                            {"path", it->second.path},
                            {"bytes", it->second.bytes},
                            {"samples_seen", it->second.samples_seen},
                            {"kind", generation ? "periodic" : "park"}});
  written.clear();
}

void Membership::State::on(MemberEntry& from,
                           msg::CheckpointFailed const& message) {
  auto const what = [&](char const* verb) {
    out.record("error",
               {{"what", "checkpoint '" + message.path + "' could not be " +
                             verb + ": " + message.why}});
  };
  if (!loading.empty() && message.path == loading && from.id == source) {
    what("read");
    constexpr int attempts = 2;
    if (++load_failures[loading] >= attempts) ledger.discard_newest();
    loading.clear();
    needs_recovery = true;
    loss = "checkpoint could not be read";
  } else if (change && change->checkpoint == message.path) {
    what("written");
    constexpr double pause_s = 1;
    park_again_s = now + pause_s;
    needs_recovery = true;
    loss = "checkpoint could not be written";
  } else if (checkpoint_asked && checkpoint_asked->path == message.path) {
    what("written");
    forget_checkpoint_asked();
  }
}

void Membership::State::park(msg::Checkpointed const& message) {
  // All members contributed all of the step, or rank 0 would not have it; and
  // all are told to leave: nobody can undo it.
  auto const parked = *std::exchange(change, std::nullopt);
  record_steps(ledger.commit_tentative(message.step));
  if (ledger.recorded() != message.step)
    out.record("error", {{"what", "steps before the park at step " +
                                      std::to_string(message.step) +
                                      " were not reported"}});
  record_log_until(message.step);
  record_resize(resize_cost.take_unfinished());
  auto const leavers = members;
  generation = 0;
  members.clear();
  nodes_in_use = 0;
  settled = false;
  if (!message.path.empty()) {
    written[message.path] = message;
    ledger.add_checkpoint({message.path, message.step, message.samples_seen});
  }
  announce_checkpoint();
  record_generation("park", parked.cause, parked.from, now - parked.since_s,
                    message.step + 1);
  out.record("park", {{"step", message.step}});
  for (auto const id : leavers) release(table.at(id));
}

// --- the end ---------------------------------------------------------------

void Membership::State::on(MemberEntry& from, msg::Finished const& message) {
  from.finished = message;
  finish_if_all_have();
}

void Membership::State::finish_if_all_have() {
  if (recovery || generation == 0 || finished) return;
  std::optional<msg::Step> step;
  for (auto const id : members) {
    auto const& last = table.at(id).finished;
    if (!last || last->generation != generation) return;
    if (step && *step != last->step) return;
    step = last->step;
  }
  finish(*step);
}

void Membership::State::finish(msg::Step step) {
  record_steps(ledger.commit_tentative(step));
  if (ledger.recorded() != step)
    out.record("error",
               {{"what", "steps before the last, " + std::to_string(step) +
                             ", were not reported"}});
  ledger.end_training();
  record_resize(resize_cost.take_unfinished());
  out.record("finish", {{"code", 0},
                        {"step", step},
                        {"samples_seen", ledger.samples_seen()},
                        {"duplicate_samples", ledger.audit().duplicate},
                        {"missing_samples", ledger.audit().missing}});
  finished = true;
  change.reset();
  // Who has only waited to be let in has not the state of the end, and nobody
  // waits for who has not even connected.
  MemberIds unheard;
  for (auto& [id, member] : table.all())
    if (member.phase == Phase::active)
      out.send(id, msg::Finish{});
    else if (member.phase == Phase::announced)
      unheard.push_back(id);
    else
      release(member);
  for (auto const id : unheard) kill(id, "the training is over");
  out.add(TrainingFinished{step, ledger.samples_seen()});
}

}  // namespace gleaner
