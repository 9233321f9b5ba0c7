// SPDX-License-Identifier: Apache-2.0
#include "daemon/decisions/pace_message.hh"

#include <cmath>

namespace gleaner::daemon {
namespace {

/// Far more than any machine has, and few enough for numbers of members to be
/// multiplied: users say what they like.
constexpr int members_most = 1'000'000;
constexpr int members_a_node_most = 1024;

}  // namespace

bool is_possible(msg::Pace const& pace) {
  for (double const s : {pace.step_s, pace.step_spread_s, pace.compute_s,
                         pace.compute_max_s, pace.exposed_s, pace.update_s})
    if (!std::isfinite(s) || s < 0) return false;
  return pace.step_s > 0 && pace.nodes >= 1 && pace.members >= pace.nodes &&
         pace.members <= members_most &&
         pace.members / pace.nodes <= members_a_node_most &&
         pace.global_batch > 0;
}

profile::Pace pace_of(msg::Pace const& pace) {
  return {pace.generation, pace.nodes,         pace.members,
          pace.steps,      pace.step_s,        pace.step_spread_s,
          pace.compute_s,  pace.compute_max_s, pace.exposed_s,
          pace.update_s};
}

profile::Traits traits_of(msg::Pace const& pace) {
  profile::Traits traits;
  traits.family = pace.family;
  traits.global_batch = pace.global_batch;
  traits.gradient_bytes = pace.gradient_bytes;
  traits.members_per_node = pace.members / pace.nodes;
  return traits;
}

}  // namespace gleaner::daemon
