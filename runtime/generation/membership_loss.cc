// SPDX-License-Identifier: Apache-2.0
/// What happens when members that the training needs are lost?
#include <algorithm>
#include <utility>

#include "runtime/generation/membership.hh"

namespace gleaner::generation {

void Membership::lost(std::string why) { loss_ = {true, std::move(why)}; }

/// Most likely a member died, and its loss will be known in a moment.
void Membership::plane_broke(msg::MemberId by, msg::Generation generation,
                             std::string const& why) {
  if (planes_.is_broken() || recovery_) return;
  loss_.why = "plane of generation " + std::to_string(generation) + ": " + why;
  planes_.broke(now_, by, loss_.why);
}

void Membership::recover() {
  if (recovery_) {
    recovery_->keep(table_.live(recovery_->asked()));
    if (recovery_->asked().empty()) return all_lost();
    if (recovery_->all_have_answered()) resume();
    return;
  }
  auto asked = in_use_.members;
  if (change_ && !change_->is_before_offer())
    for (auto const id : change_->plan().members)
      if (!contains(asked, id)) asked.push_back(id);
  asked = table_.live(asked);
  if (change_ && change_->is_before_offer())
    for (auto const id : table_.live(change_->plan().joiners))
      out_.send(id, msg::Reset{change_->plan().generation});
  change_.reset();
  planes_.forget_break();
  record_.forget_unrecorded();

  recovery_.emplace(++last_generation_, asked, now_);
  if (asked.empty()) return all_lost();
  out_.send_all(asked, msg::Quiesce{recovery_->generation()});
}

void Membership::on(MemberEntry& from, msg::Status const& message) {
  if (!recovery_ || message.generation != recovery_->generation()) return;
  recovery_->answered(from.id, message);
  if (recovery_->all_have_answered()) resume();
}

void Membership::resume() {
  record_.forget_unrecorded();
  auto const next = recovery_->resumption(record_.recorded(),
                                          table_.staying(recovery_->asked()));
  if (!next) return all_lost();

  msg::Resume message;
  message.generation = recovery_->generation();
  message.members = table_.addresses(next->members);
  message.complete = next->complete;
  message.donor = next->donor;
  message.lacking = next->lacking;
  message.recorded = record_.recorded();
  message.plan = next->plan;

  auto const ended = *std::exchange(recovery_, std::nullopt);
  auto const nodes_before = in_use_.nodes;
  auto const nodes = int(table_.nodes_of(next->members).size());
  in_use_ = {ended.generation(), next->members, nodes, true};
  table_.forget_heartbeats();
  planes_.begins_connecting(now_);
  for (auto const id : next->members) table_.set_phase(id, Phase::active, now_);
  out_.send_all(next->members, std::move(message));
  release_or_reset(ended.asked(), next->full, ended.generation(),
                   next->complete);
  record_.forget_values_after(next->complete);
  record_generation("loss", loss_.why, nodes_before, 0, next->complete + 1);
}

/// Those that are not in the generation to come: joiners wait for another,
/// members that had state are not needed any more.
void Membership::release_or_reset(MemberIds const& ids, MemberIds const& full,
                                  msg::Generation reset, msg::Step last_step) {
  for (auto const id : table_.live(ids)) {
    if (contains(in_use_.members, id)) continue;
    auto& member = table_.at(id);
    if (contains(full, id)) {
      release(member, last_step, false);
    } else {
      member.finished.reset();
      table_.set_phase(id, Phase::loaded, now_);
      out_.send(id, msg::Reset{reset});
    }
  }
}

void Membership::all_lost() {
  auto const ended = *std::exchange(recovery_, std::nullopt);
  record_.roll_back(out_, in_use_.settled, in_use_.nodes, loss_.why);
  in_use_ = {};
  release_or_reset(ended.asked(), ended.with_state(), ended.generation(),
                   record_.recorded());
  for (auto& [id, member] : table_.all()) {
    if (member.phase != Phase::released) continue;
    member.disowned = true;
    member.owes_values = false;
  }
}

void Membership::check_losses() {
  if (recovery_)
    return kill(
        not_quiet(*recovery_, table_, options_.failure_timeout_s, now_));
  if (in_use_.generation == 0) return;
  auto const fault = planes_.take_fault(now_, in_use_.members);
  if (!fault) return;
  lost(fault->why);
  if (fault->victim) kill(*fault->victim, fault->why);
}

}  // namespace gleaner::generation
