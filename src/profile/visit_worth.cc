// SPDX-License-Identifier: Apache-2.0
/// The best choice of each outcome, against the choice of today.
#include "profile/visit_worth.hh"

#include <algorithm>
#include <limits>

#include "core/contract.hh"

namespace gleaner::profile {
namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

}  // namespace

RelativeSpeed relative_speed(Advice const& advice) {
  EXPECT(advice.mean.size() == advice.low.size(), advice.mean.size(),
         advice.low.size());
  RelativeSpeed speed{advice.mean, advice.low};
  double const one = advice.mean.size() > 1 ? advice.mean[1] : 0;
  if (one <= 0) return {};
  for (auto* list : {&speed.mean, &speed.low})
    for (std::size_t k = 0; k < list->size(); ++k)
      (*list)[k] = std::clamp((*list)[k] / one, 0.0, static_cast<double>(k));
  return speed;
}

double earned(Choices const& choices, std::vector<double> const& speed,
              int nodes) {
  EXPECT(nodes >= 0 && choices.nodes >= 0, nodes, choices.nodes);
  EXPECT(!choices.gains.empty(), nodes);
  auto const k = static_cast<std::size_t>(nodes);
  auto const now = static_cast<std::size_t>(choices.nodes);
  if (k >= speed.size() || now >= speed.size()) return never;
  double const own = speed[k] - speed[now];
  if (k > now)
    return k - now < choices.losses.size() ? own - choices.losses[k - now]
                                           : never;
  // What nobody can use is worth nothing.
  return own + choices.gains[std::min(now - k, choices.gains.size() - 1)];
}

int chosen(Choices const& choices, RelativeSpeed const& speed) {
  EXPECT(speed.mean.size() == speed.low.size(), speed.mean.size(),
         speed.low.size());
  auto sober = speed.mean;
  for (auto k = static_cast<std::size_t>(choices.nodes) + 1; k < sober.size();
       ++k)
    sober[k] = std::min(sober[k], speed.low[k]);
  int best = choices.nodes;
  double most = 0;
  for (int k = choices.nodes_min; k <= choices.nodes_max; ++k) {
    double const sum = earned(choices, sober, k);
    if (sum > most) best = k, most = sum;
  }
  return best;
}

double knowledge_gain(Choices const& choices, RelativeSpeed const& now,
                      std::vector<Outcome> const& outcomes) {
  int const before = chosen(choices, now);
  double gain = 0;
  for (auto const& outcome : outcomes) {
    EXPECT(outcome.probability >= 0 && outcome.probability <= 1,
           outcome.probability);
    auto const then = relative_speed(outcome.advice);
    if (then.mean.empty()) continue;
    int const after = chosen(choices, then);
    if (after == before) continue;
    gain += outcome.probability * (earned(choices, then.mean, after) -
                                   earned(choices, then.mean, before));
  }
  return gain;
}

}  // namespace gleaner::profile
