// SPDX-License-Identifier: Apache-2.0
/// From what was said and measured to weight, deadline and work left.
#include "daemon/decisions/importance.hh"

#include <cmath>

#include "core/importance.hh"

namespace gleaner::daemon {
namespace {

/// Samples per second on one node, from the smallest size that was measured;
/// 0: unknown.
double one_node_samples_per_s(ScalingProfile const& scaling) {
  auto const& speeds = scaling.told().mean;
  for (auto const& [nodes, pace] : scaling.paces()) {
    auto const k = static_cast<std::size_t>(nodes);
    if (k >= speeds.size() || !(speeds[k] > 0) || !(pace.step_s > 0)) continue;
    return static_cast<double>(scaling.traits().global_batch) / pace.step_s /
           speeds[k];
  }
  return 0;
}

}  // namespace

msg::Importance in_bounds(msg::Importance said) {
  constexpr TimeS year_10000_s = 253402300800;
  if (said.weight && std::isnan(*said.weight)) said.weight.reset();
  if (said.weight) said.weight = clamped_weight(*said.weight);
  if (said.deadline_s &&
      !(*said.deadline_s >= 0 && *said.deadline_s < year_10000_s))
    said.deadline_s.reset();
  return said;
}

double weight_of(TrainerEntry const& trainer) {
  return trainer.said.weight.value_or(clamped_weight(trainer.base.weight));
}

TimeS deadline_of(TrainerEntry const& trainer) {
  return trainer.said.deadline_s.value_or(trainer.base.deadline_s);
}

double work_left_s(TrainerEntry const& trainer) {
  auto const samples_per_s = one_node_samples_per_s(trainer.scaling);
  if (samples_per_s <= 0) return 0;
  return static_cast<double>(trainer.progress.samples_left) / samples_per_s;
}

}  // namespace gleaner::daemon
