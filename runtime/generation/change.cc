// SPDX-License-Identifier: Apache-2.0
#include "runtime/generation/change.hh"

#include <algorithm>
#include <cmath>

namespace gleaner::generation {

// --- preparing ---------------------------------------------------------------

bool Change::prepared(msg::MemberId id, double now) {
  auto* stage = std::get_if<Preparing>(&stage_);
  if (!stage) return false;
  stage->prepared.insert(id);
  if (!all_prepared()) return false;
  prepare_s_ = now - since_s_;
  return true;
}

bool Change::all_prepared() const {
  auto const* stage = std::get_if<Preparing>(&stage_);
  return stage && stage->prepared.size() == plan_.members.size();
}

MemberIds Change::not_prepared(MemberIds const& ids) const {
  auto const* stage = std::get_if<Preparing>(&stage_);
  MemberIds found;
  for (auto const id : ids)
    if (stage && !stage->prepared.count(id)) found.push_back(id);
  return found;
}

// --- following ---------------------------------------------------------------

bool Change::caught_up(msg::MemberId id, double now) {
  auto* stage = std::get_if<Following>(&stage_);
  if (!stage || !contains(plan_.joiners, id)) return false;
  stage->caught_up.insert(id);
  if (stage->caught_up.size() < plan_.joiners.size()) return false;
  prepare_s_ = now - since_s_;
  return true;
}

bool Change::has_followed_for(double limit_s, double now) const {
  auto const* stage = std::get_if<Following>(&stage_);
  return stage && now - stage->since_s > limit_s;
}

// --- offered -----------------------------------------------------------------

bool Change::withdrawn(msg::MemberId id, MemberIds const& members) {
  auto* stage = std::get_if<Withdrawing>(&stage_);
  if (!stage) return false;
  stage->withdrawn.insert(id);
  return std::all_of(members.begin(), members.end(), [&](auto member) {
    return stage->withdrawn.count(member) != 0;
  });
}

// --- agreed ------------------------------------------------------------------

void Change::agree() {
  if (!is_agreed()) stage_ = Agreed{};
}

void Change::switched(msg::MemberId id, msg::Step first) {
  agree();
  auto& stage = std::get<Agreed>(stage_);
  stage.switched.insert(id);
  stage.first = first;
}

bool Change::has_switched(msg::MemberId id) const {
  auto const* stage = std::get_if<Agreed>(&stage_);
  return stage && stage->switched.count(id) != 0;
}

void Change::all_full() {
  if (auto* stage = std::get_if<Agreed>(&stage_)) stage->all_full = true;
}

bool Change::are_all_full() const {
  auto const* stage = std::get_if<Agreed>(&stage_);
  return stage && stage->all_full;
}

bool Change::may_close(msg::Step recorded) const {
  return are_all_full() && recorded >= first() - 1;
}

msg::Step Change::first() const {
  auto const* stage = std::get_if<Agreed>(&stage_);
  return stage ? stage->first : 0;
}

// --- rules -------------------------------------------------------------------

bool must_give_up(Change const& change, MemberIds const& in_use,
                  MemberTable const& table, double urgent_s, double now) {
  if (change.is_given_up()) return true;
  for (auto const id : change.plan().members) {
    if (!table.is_leaving(id)) continue;
    // A member that is to leave must not be brought in; one that is in waits
    // for an expand only while there is time, and joins a shrink that is still
    // being prepared.
    if (!contains(in_use, id) || table.leaves_within(id, urgent_s, now))
      return true;
    if (change.is_preparing() && change.plan().joiners.empty()) return true;
  }
  return false;
}

std::uint32_t lead_steps(LeadFacts const& facts) {
  auto const step_s = facts.step_s;
  if (facts.loads_ahead == 0 || step_s <= 0)
    return std::min(facts.loads_ahead, 1u);
  auto const steps = std::max(1., std::floor(facts.lead_s_max / step_s));
  // The steps until the agreement, and those after it, need time as well.
  auto const allowed = std::max(0., std::floor(facts.left_s / 2 / step_s) - 1);
  return std::uint32_t(std::min({double(facts.loads_ahead), steps, allowed}));
}

}  // namespace gleaner::generation
