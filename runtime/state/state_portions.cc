// SPDX-License-Identifier: Apache-2.0
#include "runtime/state/state_portions.hh"

#include <algorithm>

namespace gleaner::state {
namespace {

/// Both sides go by it; small enough to relay early, large enough to be cheap.
constexpr std::size_t chunk_bytes = 256 << 10;

}  // namespace

StatePortions::Relay StatePortions::relay(int joiner) const {
  Relay relay;
  bool more = true;
  for (std::size_t at = 0; more; at += chunk_bytes) {
    more = false;
    for (int donor = 0; donor < donors_; ++donor) {
      auto const number = piece(joiner, donor);
      auto const first = registry_.stripe_begin(number, pieces());
      auto const bytes = registry_.stripe_begin(number + 1, pieces()) - first;
      if (at >= bytes) continue;
      more = true;
      auto const end = std::min(at + chunk_bytes, bytes);
      for (auto const& span : registry_.range(first + at, first + end)) {
        relay.spans.push_back(span);
        relay.needs.push_back({std::size_t(donor), end});
      }
    }
  }
  return relay;
}

}  // namespace gleaner::state
