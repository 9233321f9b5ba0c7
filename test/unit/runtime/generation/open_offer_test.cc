// SPDX-License-Identifier: Apache-2.0
/// What becomes of an offer that was made to a member.
#include "runtime/generation/open_offer.hh"

#include "test/unit/catch.hh"

namespace gleaner::generation {

namespace {

/// To switch to generation 2, with `lead` steps from the agreement.
msg::Offer to_switch(std::uint32_t lead = 0) {
  return {2, {1, 2, 3}, {3}, "", lead, false};
}
msg::Offer to_feed() { return {2, {1, 2, 3}, {3}, "", 0, true}; }

}  // namespace

TEST_CASE("the switch is after the step in which all were ready") {
  OpenOffer offer;
  CHECK_FALSE(offer.exists());
  offer.make(to_switch());
  CHECK(offer.is_of(2));
  CHECK_FALSE(offer.is_of(1));
  CHECK_FALSE(offer.take_to_switch(7));
  offer.all_ready(8);
  CHECK(offer.is_agreed());
  CHECK_FALSE(offer.take_to_switch(7));
  CHECK(offer.take_to_switch(8)->generation == 2);
  CHECK_FALSE(offer.exists());
}

TEST_CASE("with a lead the switch is so many steps later") {
  OpenOffer offer;
  offer.make(to_switch(3));
  offer.all_ready(8);
  CHECK(offer.last_before() == 11);
  offer.all_ready(9);  // said again in each step: the first one counts
  CHECK(offer.last_before() == 11);
  CHECK_FALSE(offer.take_to_switch(10));
  CHECK(offer.take_to_switch(11));
}

TEST_CASE("joiners are fed from the next boundary on, and nobody is bound") {
  OpenOffer offer;
  offer.make(to_feed());
  CHECK_FALSE(offer.take_to_feed());
  offer.all_ready(8);
  CHECK_FALSE(offer.is_agreed());
  SECTION("at the boundary") {
    CHECK(offer.take_to_feed()->generation == 2);
    CHECK_FALSE(offer.take_to_feed());
    // The second offer of the same generation is the one to switch.
    offer.make(to_switch());
    offer.all_ready(20);
    CHECK(offer.take_to_switch(20));
  }
  SECTION("unless it is withdrawn before") {
    offer.drop();
    CHECK_FALSE(offer.take_to_feed());
  }
}

TEST_CASE("an offer that is withdrawn while the word is on its way may hold") {
  OpenOffer offer;
  offer.make(to_switch());
  offer.withdraw_later();
  CHECK(offer.is_withdrawing());
  SECTION("all were ready") {
    offer.all_ready(8);
    CHECK(offer.is_agreed());
  }
  SECTION("one was not") {
    CHECK_FALSE(offer.is_agreed());
    offer.drop();
    CHECK_FALSE(offer.exists());
  }
}

}  // namespace gleaner::generation
