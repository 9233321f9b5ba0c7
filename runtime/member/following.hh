// SPDX-License-Identifier: Apache-2.0
/// What a joiner that follows receives after the state: reduction after
/// reduction, a part from each donor, until the donors are at the switch.
#pragma once

#include <variant>
#include <vector>

#include "runtime/member/state_moves.hh"
#include "runtime/state/gradients.hh"

namespace gleaner::member {

/// A reduction that lies in the gradients' memory now, for its step.
struct FollowedStep {
  msg::Reduced reduced;
  /// The donors had just made it: no other was waiting.
  bool is_newest = false;
};

/// Wait for what comes next: a reduction; or the header that ends the feed,
/// when the registry's buffers are filled, too.  Fails when a donor is lost,
/// the generation is given up or donors contradict each other.
Result<std::variant<FollowedStep, state::StateHeader>> receive_next(
    StateSources const& sources, state::Gradients const& gradients,
    state::Registry const& registry);

/// Buffers that donor `stripe` sends at the switch: small, and each member has
/// its own, so that the first one's are taken.
std::vector<state::Span> buffers_fed(state::Registry const& registry,
                                     std::uint32_t stripe);

/// Have all donors sent more than was taken so far?
bool more_waits(StateSources const& sources);

}  // namespace gleaner::member
