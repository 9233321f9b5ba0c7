// SPDX-License-Identifier: Apache-2.0
/// What becomes of a program that is asked for its output.
#include "cli/report/captured_command.hh"

#include "test/unit/catch.hh"

namespace gleaner::cli {

TEST_CASE("what a program prints is returned whole") {
  auto const text =
      captured_command({"sh", "-c", "seq 100000; seq 100000 >&2"}, {}, 20);
  REQUIRE(text);
  CHECK(text->size() == 588895);
  CHECK_THAT(*text, Catch::EndsWith("\n100000\n"));
}

TEST_CASE("it finds what we add to the environment, and ours") {
  auto const text = captured_command({"sh", "-c", "echo $ADDED ${PATH:+path}"},
                                     {"ADDED=%s"}, 20);
  REQUIRE(text);
  CHECK(*text == "%s path\n");
}

TEST_CASE("a program that is not there, fails or does not end is an error") {
  struct Row {
    std::vector<std::string> command;
    double limit_s;
    Errc code;
    char const* message;
  };
  Row const rows[] = {
      {{"gleaner-no-such-program"},
       20,
       Errc::not_found,
       "cannot run 'gleaner-no-such-program'"},
      {{"sh", "-c", "echo no accounting >&2; exit 1"},
       20,
       Errc::unavailable,
       "'sh' failed (no accounting)"},
      {{"sleep", "1000"}, 0.2, Errc::timed_out, "'sleep' did not end within"},
  };
  for (auto const& row : rows) {
    auto const text = captured_command(row.command, {}, row.limit_s);
    REQUIRE_FALSE(text);
    CHECK(text.error().code == row.code);
    CHECK_THAT(text.error().message, Catch::Contains(row.message));
  }
}

}  // namespace gleaner::cli
