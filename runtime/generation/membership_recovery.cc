// SPDX-License-Identifier: Apache-2.0
/// How does the training go on when members are lost?
///
/// Quiesce all that are left, learn how far each got, and resume from the
/// furthest: those one step behind take that step's reduction whole; a step
/// that is begun keeps its plan without the dead.
#include <algorithm>
#include <cassert>
#include <utility>

#include "runtime/generation/membership_state.hh"

namespace gleaner {

namespace {

/// One loss more in this step: its members that are not among those `left`.
void add_loss(msg::StepPlan& plan, MemberIds const& left) {
  MemberIds lost;
  for (auto const id : plan.members) {
    bool const known =
        std::any_of(plan.gone.begin(), plan.gone.end(),
                    [&](auto const& before) { return contains(before, id); });
    if (!known && !contains(left, id)) lost.push_back(id);
  }
  if (!lost.empty()) plan.gone.push_back(std::move(lost));
}

}  // namespace

/// One more is lost while the others become quiet, as when nodes go together:
/// they are asked once.  What they have answered stays true, for nothing moves
/// before they are told to resume.
void Membership::State::recover_without_the_dead() {
  recovery->asked = table.live(recovery->asked);
  auto& answers = recovery->answers;
  for (auto it = answers.begin(); it != answers.end();)
    it = table.has(it->first) ? std::next(it) : answers.erase(it);
  if (recovery->asked.empty()) return all_lost();
  if (answers.size() == recovery->asked.size()) resume();
}

void Membership::State::recover() {
  if (recovery) return recover_without_the_dead();
  auto asked = members;
  if (change && !is_before_offer(*change))
    for (auto const id : change->members)
      if (!contains(asked, id)) asked.push_back(id);
  asked = table.live(asked);
  if (change && is_before_offer(*change))
    for (auto const id : table.live(change->joiners))
      out.send(id, msg::Reset{change->generation});
  change.reset();
  plane_broken_s.reset();
  ledger.forget_unrecorded();

  recovery = Recovery{++last_generation, asked, {}, now};
  if (asked.empty()) return all_lost();
  out.send_all(asked, msg::Quiesce{recovery->generation});
}

void Membership::State::on(MemberEntry& from, msg::Status const& message) {
  if (!recovery || message.generation != recovery->generation) return;
  recovery->answers[from.id] = message;
  if (recovery->answers.size() == recovery->asked.size()) resume();
}

void Membership::State::resume() {
  ledger.forget_unrecorded();
  // Only who has all that was shown outside may be a source.
  MemberIds full;
  msg::Step complete = -1;
  for (auto const id : recovery->asked) {
    auto const& status = recovery->answers.at(id);
    if (!status.full || status.complete < ledger.recorded()) continue;
    full.push_back(id);
    complete = std::max(complete, status.complete);
  }
  if (full.empty()) return all_lost();

  auto const has_it = [&](msg::MemberId id) {
    return recovery->answers.at(id).complete == complete;
  };
  auto const lacks_it = [&](msg::MemberId id) {
    auto const& status = recovery->answers.at(id);
    return status.complete == complete - 1 && status.begun;
  };
  MemberIds next;
  for (auto const id : full)
    if (has_it(id) || lacks_it(id)) next.push_back(id);
  // Leavers go now, unless only they have the last step.
  if (auto const stay = table.staying(next);
      std::any_of(stay.begin(), stay.end(), has_it))
    next = stay;

  msg::Resume message;
  message.generation = recovery->generation;
  message.members = table.addresses(next);
  message.complete = complete;
  message.donor = *std::find_if(next.begin(), next.end(), has_it);
  message.recorded = ledger.recorded();
  for (auto const id : next) {
    auto const& status = recovery->answers.at(id);
    if (!has_it(id)) message.lacking.push_back(id);
    if (!has_it(id) || !status.begun) continue;
    assert(!message.plan || *message.plan == *status.begun);
    message.plan = status.begun;
  }
  if (message.plan) add_loss(*message.plan, next);

  auto const ended = *std::exchange(recovery, std::nullopt);
  auto const from = nodes_in_use;
  generation = ended.generation;
  members = next;
  nodes_in_use = int(table.nodes_of(members).size());
  settled = true;
  resumed_s = now;
  table.forget_heartbeats();
  connected.clear();
  for (auto const id : next) table.set_phase(id, Phase::active, now);
  out.send_all(next, std::move(message));
  release_or_reset(ended.asked, full, ended.generation);
  log_means.forget_after(complete);
  record_generation("loss", loss, from, 0, complete + 1);
}

/// Those that are not in the generation to come: joiners wait for another,
/// members that had state are not needed any more.
void Membership::State::release_or_reset(MemberIds const& ids,
                                         MemberIds const& full,
                                         msg::Generation reset) {
  for (auto const id : table.live(ids)) {
    if (contains(members, id)) continue;
    auto& member = table.at(id);
    if (contains(full, id)) {
      release(member);
    } else {
      member.finished.reset();
      table.set_phase(member.id, Phase::loaded, now);
      out.send(id, msg::Reset{reset});
    }
  }
}

void Membership::State::all_lost() {
  auto const ended = *std::exchange(recovery, std::nullopt);
  MemberIds behind;
  for (auto const& [id, status] : ended.answers)
    if (status.full) behind.push_back(id);
  auto const from = nodes_in_use;
  auto const recorded = ledger.recorded();
  ledger.roll_back();
  log_means.forget_after(ledger.recorded());
  if (settled || ledger.recorded() < recorded) {
    auto const checkpoint = ledger.newest();
    out.record("rollback", {{"to_step", ledger.recorded()},
                            {"samples_seen", ledger.samples_seen()},
                            {"path", checkpoint ? checkpoint->path : ""},
                            {"from_step", recorded},
                            {"nodes", from},
                            {"why", loss}});
  }
  generation = 0;
  members.clear();
  nodes_in_use = 0;
  if (checkpoint_asked) forget_checkpoint_asked();
  release_or_reset(ended.asked, behind, ended.generation);
  for (auto& [id, member] : table.all())
    if (member.phase == Phase::released) member.disowned = true;
  settled = false;
}

/// A plane that takes long to connect when all is well, such as NCCL's over
/// many nodes, takes as long after a loss.
double Membership::State::connect_limit_s() const {
  constexpr double room = 3;
  return std::max(options.connect_timeout_s,
                  std::min(room * connecting_s_max, options.prepare_timeout_s));
}

void Membership::State::check_recovery() {
  constexpr int attempts = 3;
  if (recovery) {
    if (now - recovery->since_s <= options.failure_timeout_s) return;
    for (auto const id : table.live(recovery->asked))
      if (!recovery->answers.count(id)) kill(id, "it did not become quiet");
    return;
  }
  if (generation == 0) return;
  // After a loss, planes must connect; in use, they must not break.
  bool const overdue =
      connected.size() < members.size() && now - resumed_s > connect_limit_s();
  bool const broken =
      plane_broken_s && now - *plane_broken_s > options.failure_timeout_s / 20;
  if (!overdue && !broken) return;
  if (overdue) loss = "the plane could not be connected in time";
  plane_broken_s.reset();
  needs_recovery = true;
  if (++vain_resumes < attempts) return;
  // Nobody died, and still they cannot connect: do without one of them.
  auto victim = members.back();
  if (broken && contains(members, plane_broken_by)) victim = plane_broken_by;
  for (auto const id : members)
    if (overdue && !connected.count(id)) victim = id;
  kill(victim, loss);
}

}  // namespace gleaner
