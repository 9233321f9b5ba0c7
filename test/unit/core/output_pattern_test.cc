// SPDX-License-Identifier: Apache-2.0
/// Patterns of file names, as srun has them.
#include "core/output_pattern.hh"

#include "test/unit/catch.hh"

namespace gleaner {

TEST_CASE("a pattern is filled in as srun does") {
  std::map<char, std::string> const known = {
      {'t', "3"}, {'N', "n7"}, {'j', "12"}, {'%', "%"}};
  CHECK(fill_in_pattern("out-%t.txt", known) == "out-3.txt");
  CHECK(fill_in_pattern("/d/%j/%N-%t%t", known) == "/d/12/n7-33");
  CHECK(fill_in_pattern("100%%t", known) == "100%t");
  CHECK(fill_in_pattern("plain", known) == "plain");
}

TEST_CASE("what one does not know is left to the next") {
  auto const half = fill_in_pattern("%j-%t-%%j", {{'j', "12"}});
  CHECK(half == "12-%t-%%j");
  CHECK(fill_in_pattern(half, {{'t', "3"}, {'%', "%"}}) == "12-3-%j");
}

TEST_CASE("a letter that means nothing is refused by name") {
  CHECK(check_output_pattern("out-%t-%N-%j-%%"));
  auto const unknown = check_output_pattern("out-%x");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message.find("'%x'") != std::string::npos);
  CHECK_FALSE(check_output_pattern("out-%"));
}

}  // namespace gleaner
