// SPDX-License-Identifier: Apache-2.0
/// How bytes become text and bytes again.
#include "proto/base64.hh"

#include "test/unit/catch.hh"

namespace gleaner::proto {
namespace {

TEST_CASE("bytes come back from their text") {
  struct {
    std::string bytes, text;
  } const cases[] = {{"", ""},
                     {"f", "Zg=="},
                     {"fo", "Zm8="},
                     {"foo", "Zm9v"},
                     {std::string("\0\xff\0", 3), "AP8A"},
                     {std::string("\0\0", 2), "AAA="}};
  for (auto const& c : cases) {
    CHECK(base64(c.bytes) == c.text);
    auto const back = from_base64(c.text);
    REQUIRE(back);
    CHECK(*back == c.bytes);
  }
}

TEST_CASE("what is not base64 is refused and quoted") {
  for (auto const* text : {"a", "ab", "abc", "!!!!", "Zg==x", "====", "Z==="}) {
    auto const bytes = from_base64(text);
    REQUIRE(!bytes);
    CHECK(bytes.error().message.find(text) != std::string::npos);
  }
}

}  // namespace
}  // namespace gleaner::proto
