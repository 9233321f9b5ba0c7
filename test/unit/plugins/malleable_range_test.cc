// SPDX-License-Identifier: Apache-2.0
/// What may be written after --malleable=, and what is said of the rest.
#include "plugins/malleable_range.hh"

#include "test/unit/catch.hh"

namespace gleaner::plugins {

TEST_CASE("a range is two node counts") {
  struct Row {
    char const* text;
    MalleableRange means;
  };
  for (auto const& row : std::initializer_list<Row>{{"2-16", {2, 16}},
                                                    {"1-1", {1, 1}},
                                                    {"08-10", {8, 10}},
                                                    {"1-10000", {1, 10000}}}) {
    CAPTURE(row.text);
    auto const range = parse_malleable_range(row.text);
    REQUIRE(range);
    CHECK(*range == row.means);
  }
}

TEST_CASE("anything else is refused with the value and the remedy") {
  struct Row {
    char const* text;
    char const* says;
  };
  for (auto const& row : std::initializer_list<Row>{
           {"", "--malleable='': not a range"},
           {"4", "--malleable='4': not a range"},
           {"-4", "not a range"},
           {"4-", "not a range"},
           {"2--4", "not a range"},
           {"2-4-6", "not a range"},
           {"2-4 ", "not a range"},
           {" 2-4", "not a range"},
           {"+2-4", "not a range"},
           {"2-4x", "not a range"},
           {"0x2-4", "not a range"},
           {"two-four", "not a range"},
           {"2-99999999999999999999", "not a range"},
           {"0-4", "at least 1"},
           {"4-2", "the most nodes are fewer than the least"},
           {"1-10001", "more than 10000 nodes"},
       }) {
    CAPTURE(row.text);
    auto const range = parse_malleable_range(row.text);
    REQUIRE_FALSE(range);
    CHECK(range.error().code == Errc::invalid_argument);
    CHECK_THAT(range.error().message, Catch::Contains(row.says));
    CHECK_THAT(
        range.error().message,
        Catch::Contains("[write MIN-MAX, for example --malleable=2-16]"));
  }
}

TEST_CASE("a hostile value cannot steer a terminal or fill a log") {
  CHECK(in_quotes("2-\x1b[31m4\n'") == "'2-?[31m4?\?'");
  CHECK(in_quotes(std::string(1000, 'x')).size() == 45);
}

}  // namespace gleaner::plugins
