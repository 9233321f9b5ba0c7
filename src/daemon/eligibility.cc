// SPDX-License-Identifier: Apache-2.0
/// Kinds of nodes, as the allocator needs to tell them apart.
#include "daemon/eligibility.hh"

#include <algorithm>

#include "core/fits.hh"

namespace gleaner {

void Eligibility::add_trainer(LeaseTemplate const& ask) {
  auto const [found, is_new] = known_.try_emplace(ask.text, templates_.size());
  if (is_new) templates_.push_back(&ask);
  template_of_.push_back(found->second);
}

Eligibility::Served const& Eligibility::served_by_kind(KindIndex kind) {
  auto const [found, is_new] = by_kind_.try_emplace(kind);
  if (is_new)
    for (auto const* ask : templates_)
      found->second.push_back(kind < snapshot_.kinds.size() &&
                              misfit(snapshot_.kinds[kind], *ask).empty());
  return found->second;
}

std::uint32_t Eligibility::number_of(Served const& served) {
  auto const next = static_cast<std::uint32_t>(kinds_.size());
  return kinds_.try_emplace(served, next).first->second;
}

std::uint32_t Eligibility::kind_of(Hole const& hole) {
  auto served = served_by_kind(hole.kind);
  for (std::size_t t = 0; t < templates_.size(); ++t)
    served[t] = served[t] &&
                misfit_by_name(hole.node, *templates_[t]).empty() &&
                !refused_.blocks({hole.node, templates_[t]->text}, now_);
  return number_of(served);
}

std::vector<std::uint32_t> Eligibility::usable_by(std::size_t trainer) const {
  std::vector<std::uint32_t> usable;
  for (auto const& [served, kind] : kinds_)
    if (served[template_of_[trainer]]) usable.push_back(kind);
  if (usable.size() == kinds_.size()) return {};
  std::sort(usable.begin(), usable.end());
  // A kind that no node is of: it can use none.
  if (usable.empty())
    usable.push_back(static_cast<std::uint32_t>(kinds_.size()));
  return usable;
}

}  // namespace gleaner
