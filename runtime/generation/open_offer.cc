// SPDX-License-Identifier: Apache-2.0
#include "runtime/generation/open_offer.hh"

#include <utility>

namespace gleaner::generation {

void OpenOffer::make(msg::Offer const& offer) {
  if (!exists()) stage_ = Stage::open;
  offer_ = offer;
}

void OpenOffer::drop() { stage_ = Stage::none; }

void OpenOffer::all_ready(msg::Step step) {
  if (!exists() || is_agreed()) return;
  stage_ = offer_.follow ? Stage::to_feed : Stage::agreed;
  last_before_ = step + offer_.lead;
}

std::optional<msg::Offer> OpenOffer::take_to_feed() {
  if (stage_ != Stage::to_feed) return std::nullopt;
  drop();
  return std::exchange(offer_, {});
}

std::optional<msg::Offer> OpenOffer::take_to_switch(msg::Step complete) {
  if (!is_agreed() || complete < last_before_) return std::nullopt;
  drop();
  return std::exchange(offer_, {});
}

}  // namespace gleaner::generation
