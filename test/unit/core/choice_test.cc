// SPDX-License-Identifier: Apache-2.0
/// Enumerations and the words that users write for their values.
#include "core/choice.hh"

#include "core/config.hh"
#include "test/unit/catch.hh"

namespace gleaner {

enum class Fruit { apple, pear };
template <>
struct Words<Fruit> {
  static constexpr Word<Fruit> all[] = {{Fruit::pear, "pear"},
                                        {Fruit::apple, "apple"}};
};

namespace {

TEST_CASE("a value has one word, and the word that value") {
  CHECK(to_string(Fruit::apple) == std::string("apple"));
  CHECK(parse_choice<Fruit>("pear") == Fruit::pear);
}

TEST_CASE("another word is no value") {
  CHECK_FALSE(parse_choice<Fruit>(""));
  CHECK_FALSE(parse_choice<Fruit>("Pear"));
  CHECK_FALSE(parse_choice<Fruit>("pears"));
}

TEST_CASE("users are shown the words in the order of the table") {
  CHECK(choices<Fruit>() == "pear|apple");
}

TEST_CASE("a choice of gleaner.yaml is read as its value, and shown as it") {
  for (auto const* word : {"whole", "parts"}) {
    auto const config = parse_config(std::string("lease: ") + word, "file");
    REQUIRE(config);
    CHECK(to_string(config->lease) == std::string(word));
    CHECK(to_yaml(*config).find(std::string("lease: ") + word + "  #") !=
          std::string::npos);
  }
  auto const wrong = parse_config("lease: half", "file");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message ==
        "file:1: lease: 'half' is not valid (expected one of whole|parts)");
}

}  // namespace
}  // namespace gleaner
