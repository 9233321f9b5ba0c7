// SPDX-License-Identifier: Apache-2.0
/// What has become of the offer that was made to this member?
///
/// An offer is open until all members have said in one first bucket that they
/// are ready for it.  From then on it is agreed to: to switch after a known
/// step, or to feed joiners from the next boundary on.  Until then the
/// coordinator may withdraw it; while the word for it is on its way the answer
/// waits for the first bucket.
#pragma once

#include <optional>

#include "runtime/generation/member_ids.hh"

namespace gleaner::generation {

class OpenOffer {
 public:
  /// The coordinator makes one.
  void make(msg::Offer const& offer);
  void drop();

  bool exists() const { return stage_ != Stage::none; }
  /// Of this generation.
  bool is_of(msg::Generation generation) const {
    return exists() && offer_.generation == generation;
  }
  msg::Offer const& offer() const { return offer_; }

  /// All have said in the first bucket of `step` that they are ready: to
  /// switch, or to feed.  Counts once.
  void all_ready(msg::Step step);
  /// To switch after last_before().
  bool is_agreed() const { return stage_ == Stage::agreed; }
  msg::Step last_before() const { return last_before_; }

  /// The coordinator withdraws it while the word for it is on its way.
  void withdraw_later() { stage_ = Stage::withdrawing; }
  bool is_withdrawing() const { return stage_ == Stage::withdrawing; }

  /// At a boundary: the offer, if joiners are to be fed from here on.
  std::optional<msg::Offer> take_to_feed();
  /// At the boundary after step `complete`: the offer, if that is the switch.
  std::optional<msg::Offer> take_to_switch(msg::Step complete);

 private:
  enum class Stage { none, open, withdrawing, to_feed, agreed };
  Stage stage_ = Stage::none;
  msg::Offer offer_;
  msg::Step last_before_ = 0;  ///< if agreed: the switch is after this step
};

}  // namespace gleaner::generation
