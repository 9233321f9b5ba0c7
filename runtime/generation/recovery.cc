// SPDX-License-Identifier: Apache-2.0
#include "runtime/generation/recovery.hh"

#include <algorithm>
#include <cassert>
#include <utility>

namespace gleaner::generation {
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

MemberIds Recovery::with_state() const {
  MemberIds found;
  for (auto const& [id, status] : answers_)
    if (status.full) found.push_back(id);
  return found;
}

void Recovery::keep(MemberIds const& live) {
  std::erase_if(asked_, [&](auto id) { return !contains(live, id); });
  std::erase_if(answers_, [&](auto const& answer) {
    return !contains(live, answer.first);
  });
}

std::optional<Resumption> Recovery::resumption(msg::Step recorded,
                                               MemberIds const& staying) const {
  assert(all_have_answered());
  Resumption found;
  found.complete = -1;
  for (auto const id : asked_) {
    auto const& status = answers_.at(id);
    if (!status.full || status.complete < recorded) continue;
    found.full.push_back(id);
    found.complete = std::max(found.complete, status.complete);
  }
  if (found.full.empty()) return std::nullopt;

  auto const has_it = [&](msg::MemberId id) {
    return answers_.at(id).complete == found.complete;
  };
  auto const lacks_it = [&](msg::MemberId id) {
    auto const& status = answers_.at(id);
    return status.complete == found.complete - 1 && status.begun;
  };
  MemberIds next, stay;
  for (auto const id : found.full)
    if (has_it(id) || lacks_it(id)) next.push_back(id);
  for (auto const id : next)
    if (contains(staying, id)) stay.push_back(id);
  // Leavers go now, unless only they have the last step.
  if (std::any_of(stay.begin(), stay.end(), has_it)) next = stay;

  found.donor = *std::find_if(next.begin(), next.end(), has_it);
  for (auto const id : next) {
    auto const& status = answers_.at(id);
    if (!has_it(id)) found.lacking.push_back(id);
    if (!has_it(id) || !status.begun) continue;
    assert(!found.plan || *found.plan == *status.begun);
    found.plan = status.begun;
  }
  if (found.plan) add_loss(*found.plan, next);
  found.members = std::move(next);
  return found;
}

}  // namespace gleaner::generation
