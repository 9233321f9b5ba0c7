// SPDX-License-Identifier: Apache-2.0
/// What follows from the steps, values and files that members report?
#include <algorithm>
#include <utility>

#include "runtime/generation/membership.hh"

namespace gleaner::generation {

void Membership::record_generation(std::string const& kind,
                                   std::string const& cause, int from,
                                   double prepare_s, msg::Step first,
                                   ChangePlan const* joined) {
  bool const is_park = kind == "park";
  GenerationBegun begun;
  begun.generation = is_park ? last_generation_ : in_use_.generation;
  begun.kind = kind;
  begun.cause = cause;
  begun.nodes_before = from;
  begun.nodes_after = is_park ? 0 : in_use_.nodes;
  begun.nodes = table_.nodes_of(in_use_.members).to_string();
  begun.members = in_use_.members;
  begun.prepare_s = prepare_s;
  begun.first = first;
  if (joined && !joined->joiners.empty())
    begun.copied_why = joined->follow ? "" : joined->copy_why;
  record_.generation(out_, begun);
}

void Membership::on(MemberEntry&, msg::Stable const& message) {
  if (!message.tentative) {
    if (is_of_change(message.generation)) change_->all_full();
    if (message.generation == in_use_.generation && !recovery_) {
      in_use_.settled = true;
      planes_.works();
      load_.end();
    }
  }
  record_.stable(out_, message, in_use_.members);
}

// --- values ----------------------------------------------------------------

/// One that was released may have begun a step that others compute without it.
void Membership::on(MemberEntry& from, msg::LogValues const& message) {
  for (auto const& value : message.values)
    if (value.step <= from.last_step.value_or(value.step)) record_.value(value);
}

void Membership::check_values() {
  if (record_.may_show_values(now_)) show_values();
}

/// A value of a step is sent before the step after the next begins, with the
/// next heartbeat at the latest: so the mean is whole when every member has
/// said that it is further.  A member that parks, leaves or finishes tells all
/// before it says so.
void Membership::show_values() {
  constexpr msg::Step delay = 2;
  if (table_.any_owes_values()) return;
  auto until = record_.recorded();
  for (auto const id : in_use_.members) {
    auto const& alive = table_.at(id).alive;
    until = std::min(until, alive ? alive->step - delay : 0);
  }
  record_.show_values(out_, until);
}

// --- checkpoints -----------------------------------------------------------

void Membership::on(MemberEntry& from, msg::Checkpointed const& message) {
  if (change_ && change_->plan().kind == "park" &&
      change_->plan().checkpoint == message.path)
    return park(message);
  record_.written(out_, from.id, message);
}

void Membership::on(MemberEntry& from, msg::CheckpointFailed const& message) {
  auto const could_not_be = [&](char const* verb) {
    out_.record("error",
                {{"what", "checkpoint '" + message.path + "' could not be " +
                              verb + ": " + message.why}});
  };
  if (load_.is_by(from.id, message.path)) {
    could_not_be("read");
    if (load_.failed()) record_.discard_newest();
    lost("checkpoint could not be read");
  } else if (change_ && change_->plan().checkpoint == message.path) {
    could_not_be("written");
    record_.park_failed(now_);
    lost("checkpoint could not be written");
  } else if (record_.take_failure(message.path)) {
    could_not_be("written");
  }
}

/// All members contributed all of the step, or rank 0 would not have it; and
/// all are told to leave: nobody can undo it.
void Membership::park(msg::Checkpointed const& message) {
  auto const parked = *std::exchange(change_, std::nullopt);
  record_.parked(out_, message, in_use_.members);
  auto const leavers = std::exchange(in_use_, {}).members;
  record_generation("park", parked.plan().cause, parked.plan().nodes_before,
                    now_ - parked.since_s(), message.step + 1);
  out_.record("park", {{"step", message.step}});
  for (auto const id : leavers)
    release(table_.at(id), message.step, parked.has_switched(id));
  show_values();
}

// --- the end ---------------------------------------------------------------

void Membership::on(MemberEntry& from, msg::Finished const& message) {
  from.finished = message;
  finish_if_all_have();
}

void Membership::finish_if_all_have() {
  if (recovery_ || in_use_.generation == 0 || finished_) return;
  std::optional<msg::Step> step;
  for (auto const id : in_use_.members) {
    auto const& last = table_.at(id).finished;
    if (!last || last->generation != in_use_.generation) return;
    if (step && *step != last->step) return;
    step = last->step;
  }
  finish(*step);
}

void Membership::finish(msg::Step step) {
  record_.finish(out_, step, in_use_.members);
  finished_ = true;
  change_.reset();
  // A member that has only waited to be let in has not the state of the end,
  // and nobody waits for one that has not even connected.
  MemberIds unheard;
  for (auto& [id, member] : table_.all())
    if (member.phase == Phase::active)
      out_.send(id, msg::Finish{});
    else if (member.phase == Phase::announced)
      unheard.push_back(id);
    else
      release(member);
  for (auto const id : unheard) kill(id, "the training is over");
  if (!table_.any_owes_values()) record_.show_values(out_, record_.recorded());
  out_.add(membership::TrainingFinished{step, record_.samples_seen()});
}

}  // namespace gleaner::generation
