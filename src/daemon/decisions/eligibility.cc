// SPDX-License-Identifier: Apache-2.0
/// Kinds of nodes, as the allocator needs to tell them apart.
#include "daemon/decisions/eligibility.hh"

#include <algorithm>

#include "core/fits.hh"
#include "core/place.hh"

namespace gleaner::daemon {

void Eligibility::add_trainer(LeaseTemplate const& ask) {
  auto const [found, is_new] = known_.try_emplace(ask.text, templates_.size());
  if (is_new) templates_.push_back(&ask);
  template_of_.push_back(found->second);
}

Eligibility::Served const& Eligibility::served_by(Place const& place) {
  auto const index = place.hole.kind;
  auto const& kind = snapshot_.kind(index);
  auto const& has = place.part ? *place.part : kind.total;
  auto const [found, is_new] =
      alike_.try_emplace({index, has.cpus, has.memory_mb, has.gres});
  if (is_new)
    for (auto const* ask : templates_)
      found->second.push_back(index < snapshot_.kinds.size() &&
                              misfit(kind, has, *ask).empty());
  return found->second;
}

std::uint32_t Eligibility::number_of(Served const& served) {
  auto const next = static_cast<std::uint32_t>(kinds_.size());
  return kinds_.try_emplace(served, next).first->second;
}

std::uint32_t Eligibility::kind_of(Place const& place) {
  auto served = served_by(place);
  auto const& name = place.hole.node;
  for (std::size_t t = 0; t < templates_.size(); ++t)
    served[t] = served[t] &&
                misfit_by_name(node_of(name), *templates_[t]).empty() &&
                !refused_.blocks({name, templates_[t]->text}, now_);
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

}  // namespace gleaner::daemon
