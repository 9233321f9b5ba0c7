// SPDX-License-Identifier: Apache-2.0
/// Slurm's --constraint: what is read, what is refused, which nodes meet it.
#include "core/features.hh"

#include "test/unit/catch.hh"

namespace gleaner {

namespace {

bool meets(char const* features, char const* constraint) {
  auto const read = Constraint::parse(constraint);
  REQUIRE(read);
  return read->is_met_by(parse_features(features));
}

}  // namespace

TEST_CASE("which nodes meet a constraint") {
  struct Row {
    char const* constraint;
    char const* yes;  ///< nodes, by their features, separated by spaces
    char const* no;
  };
  auto const each = [](std::string_view list, auto check) {
    while (!list.empty()) {
      auto const space = std::min(list.find(' '), list.size());
      check(std::string(list.substr(0, space)));
      list.remove_prefix(std::min(space + 1, list.size()));
    }
  };
  for (auto const& row : std::initializer_list<Row>{
           {"a", "a a,b b,a", "b ab"},
           {"a&b", "a,b a,b,c", "a b c"},
           {"a|b", "a b a,b", "c"},
           {"a&(b|c)", "a,b a,c", "a b,c b"},
           {"(a&b)|(c&d)", "a,b c,d", "a,c b,d"},
           // From left to right, as Slurm does.
           {"a|b&c", "a,c b,c", "a b c"},
           {"a&b|c", "a,b c", "a b"},
           {"gpu-a.100_x", "gpu-a.100_x", "gpu"},
       }) {
    each(row.yes, [&](std::string const& node) {
      CAPTURE(row.constraint, node);
      CHECK(meets(node.c_str(), row.constraint));
    });
    each(row.no, [&](std::string const& node) {
      CAPTURE(row.constraint, node);
      CHECK_FALSE(meets(node.c_str(), row.constraint));
    });
  }
}

TEST_CASE("no constraint is met by any node") {
  CHECK(meets("", ""));
  CHECK(meets("a,b", ""));
}

TEST_CASE("what cannot be read is refused, naming where") {
  struct Row {
    char const* constraint;
    char const* why;
  };
  for (auto const& row : std::initializer_list<Row>{
           {"a&", "at its end (the name of a feature was expected)"},
           {"&a", "at '&a' (the name of a feature was expected)"},
           {"(a", "a group is not closed"},
           {"a)", "at ')' (& or | was expected)"},
           {"a b", "at ' b'"},
           {"a*4", "counts speak of all nodes at once"},
           {"[a|b]", "[ ] speaks of all nodes at once"},
           {"a&!b",
            "at '!b' (Slurm's --constraint has no !; exclude nodes by name)"},
       }) {
    CAPTURE(row.constraint);
    auto const read = Constraint::parse(row.constraint);
    REQUIRE_FALSE(read);
    CHECK_THAT(read.error().message, Catch::Contains(row.why));
  }
}

TEST_CASE("hostile constraints end") {
  CHECK_FALSE(Constraint::parse(std::string(100000, '(')));
  std::string many = "a";
  for (int i = 0; i < 10000; ++i) many += "&a";
  CHECK_FALSE(Constraint::parse(many));
}

TEST_CASE("counts and brackets of a job become what each node may be") {
  struct Row {
    char const* constraint;
    char const* node;
    bool met;
  };
  for (auto const& row : std::initializer_list<Row>{
           {"[a|b]", "b", true},
           {"[a|b]", "c", false},
           {"[a*2&b*4]", "a", true},
           {"[a*2&b*4]", "c", false},
           {"[(a&b)*4&c*1]", "a,b", true},
           {"[(a&b)*4&c*1]", "a", false},
           {"[(a&b)*4&c*1]", "c", true},
           {"d&[a|b]", "a,d", true},
           {"d&[a|b]", "a", false},
           {"a*4", "b", true},  // only four nodes must be of it
       }) {
    CAPTURE(row.constraint, row.node);
    auto const read = Constraint::parse_for_each(row.constraint);
    REQUIRE(read);
    CHECK(read->is_met_by(parse_features(row.node)) == row.met);
  }
}

}  // namespace gleaner
