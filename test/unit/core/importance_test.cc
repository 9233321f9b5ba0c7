// SPDX-License-Identifier: Apache-2.0
/// What may be written as a weight and as a deadline.
#include "core/importance.hh"

#include <cmath>

#include "test/unit/catch.hh"

namespace gleaner {
namespace {

TEST_CASE("a weight is a number from 0.1 to 10") {
  struct Row {
    char const* text;
    double weight;
    char const* again;
  } const rows[] = {{"1", 1, "1"},     {"0.1", 0.1, "0.1"},
                    {"10", 10, "10"},  {"2.5", 2.5, "2.5"},
                    {"4.000", 4, "4"}, {"0.33333333", 1 / 3.0, "0.3333"}};
  for (auto const& row : rows) {
    CAPTURE(row.text);
    auto const weight = parse_weight("--malleable-weight", row.text);
    REQUIRE(weight);
    CHECK(*weight == Approx(row.weight));
    CHECK(weight_text(*weight) == row.again);
    CHECK(parse_weight("--malleable-weight", row.again));
  }
}

TEST_CASE("any other weight is refused with the value and the remedy") {
  for (char const* text : {"", "0", "0.09", "10.1", "-1", "+2", "1e1", "nan",
                           "inf", "0x2", "2 ", " 2", "2,5", "four"}) {
    CAPTURE(text);
    auto const weight = parse_weight("--weight", text);
    REQUIRE_FALSE(weight);
    CHECK(weight.error().message ==
          "--weight='" + std::string(text) +
              "': not a weight [write a number from 0.1 to 10, for example "
              "--weight=2]");
  }
}

TEST_CASE("a weight out of bounds is brought into them") {
  CHECK(clamped_weight(100) == 10);
  CHECK(clamped_weight(-3) == 0.1);
  CHECK(clamped_weight(3) == 3);
  CHECK(clamped_weight(INFINITY) == 10);
  CHECK(clamped_weight(NAN) == 1);
  CHECK_FALSE(is_weight(NAN));
}

TEST_CASE("a deadline crosses as whole seconds") {
  CHECK(*parse_deadline_s("1772600000") == 1772600000);
  for (char const* text : {"", "0", "-5", "1e9", "1772600000.5", "17726 ",
                           "253402300800", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_deadline_s(text));
  }
}

}  // namespace
}  // namespace gleaner
