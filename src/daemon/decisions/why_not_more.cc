// SPDX-License-Identifier: Apache-2.0
/// The planner's questions, asked again for one training.
#include "daemon/decisions/why_not_more.hh"

#include <algorithm>
#include <cmath>

#include "core/fits.hh"
#include "core/place.hh"
#include "daemon/decisions/caps.hh"

namespace gleaner::daemon {
namespace {

std::string number(int n) { return std::to_string(n); }

std::string nodes(int n) { return number(n) + (n == 1 ? " node" : " nodes"); }

}  // namespace

WhyNotMore::WhyNotMore(PlanInput const& input, std::string stopped)
    : input_(input),
      stopped_(std::move(stopped)),
      used_(input.leases.used_by_trainer()),
      kinds_(input.snapshot.kinds.size()) {
  auto const leases = input.leases.by_node();
  for (auto const& [name, place] : input.places) {
    if (place.hole.kind >= kinds_.size()) continue;
    auto& kind = kinds_[place.hole.kind];
    if (place.lent || place.hole.leased || leases.count(name)) {
      ++kind.lent;
      continue;
    }
    kind.idle = name;
    double const left_s =
        place.hole.end_s ? *place.hole.end_s - input.now : INFINITY;
    if (input.orders.is_drained(name)) {
      ++kind.drained;
    } else if (input.aside.count(name) || input.holds.contains(name)) {
      ++kind.kept;
    } else if (left_s < hole_s_lent_min(input.config)) {
      ++kind.brief;
      kind.longest_s = std::max({kind.longest_s, left_s, 0.0});
    } else {
      kind.free.push_back(name);
    }
  }
}

std::string WhyNotMore::of(TrainerEntry const& trainer) const {
  auto const found = used_.find(trainer.base.job);
  auto const used =
      found == used_.end() ? 0 : static_cast<int>(found->second.size());
  if (used >= trainer.base.nodes_max)
    return is_cut(trainer) ? "no other node can ever serve it"
                           : "at its maximum";
  if (trainer.link == 0) return "its coordinator is not connected";
  if (!stopped_.empty()) return stopped_;
  if (input_.users.blocks(trainer.base.uid, input_.now))
    return "Slurm refused its user a lease a moment ago";
  auto const cap = cap_reached(input_.config, input_.leases, input_.roster,
                               {trainer.base.uid, trainer.base.account});
  if (!cap.empty()) return cap + " is reached";
  return nodes_for(trainer, used);
}

/// Why the place does not fit; its kind of node does.
std::string WhyNotMore::misfit_of(std::string const& name,
                                  TrainerEntry const& trainer) const {
  auto const& place = input_.places.at(name);
  if (place.part)
    if (auto why = misfit(input_.snapshot.kind(place.hole.kind), *place.part,
                          trainer.ask);
        !why.empty())
      return why;
  return misfit_by_name(node_of(name), trainer.ask);
}

/// Did it ask for more nodes than there are for it?
bool WhyNotMore::is_cut(TrainerEntry const& trainer) const {
  auto const& all = input_.snapshot.trainers;
  return std::any_of(all.begin(), all.end(), [&](BaseJob const& base) {
    return base.job == trainer.base.job &&
           base.nodes_max > trainer.base.nodes_max;
  });
}

std::string WhyNotMore::nodes_for(TrainerEntry const& trainer, int used) const {
  Kind all;
  int refused = 0, others = 0;
  std::string lacking;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    auto const& kind = kinds_[i];
    if (auto const why = misfit(input_.snapshot.kinds[i], trainer.ask);
        !why.empty()) {
      if (!kind.idle.empty()) lacking = kind.idle + " " + why;
      continue;
    }
    others += kind.lent;
    all.drained += kind.drained;
    all.kept += kind.kept;
    all.brief += kind.brief;
    all.longest_s = std::max(all.longest_s, kind.longest_s);
    for (auto const& name : kind.free) {
      if (auto const why = misfit_of(name, trainer); !why.empty())
        lacking = name + " " + why;
      else if (input_.nodes.blocks({name, trainer.ask.text}, input_.now))
        ++refused;
      else
        all.free.push_back(name);
    }
  }
  auto const free = static_cast<int>(all.free.size());
  if (free > 0 && used + free < trainer.base.nodes_min)
    return "needs " + nodes(trainer.base.nodes_min) + " to start, " +
           number(free) + " to be had";
  if (free > 0) return "more would not pay now";
  if (refused > 0) return "Slurm refused the idle nodes that fit a moment ago";
  if (all.brief > 0)
    return "holes too short (the longest: " +
           number(static_cast<int>(all.longest_s)) + " s)";
  if (all.kept > 0) return "idle nodes are kept for waiting jobs";
  if (all.drained > 0) return "idle nodes are drained";
  if (others > used) return "others gain more";
  if (!lacking.empty()) return "no idle node fits: " + lacking;
  return "no idle node";
}

}  // namespace gleaner::daemon
