// SPDX-License-Identifier: Apache-2.0
/// Each test that doc/security.md names exists.
#include <regex>
#include <set>

#include "test/unit/catch.hh"
#include "test/unit/source_file.hh"

namespace gleaner::daemon {
namespace {

struct Named {
  std::string file, test;  ///< "" for a fuzzer, which is a file
};

/// Everything of the form `test/FILE` or `test/FILE`: NAME, which ends at <br>
/// or at the end of a table's cell.
std::vector<Named> tests_named() {
  auto const text = test::source_file("doc/security.md");
  std::regex const form(
      R"(`(test/[^`]+\.(?:bats|cc|py))`(?:: ([^|\n]*?))?(?=<br>| \|))");
  std::vector<Named> found;
  for (std::sregex_iterator it(text.begin(), text.end(), form), end; it != end;
       ++it)
    found.push_back({(*it)[1], (*it)[2]});
  return found;
}

TEST_CASE("security.md names tests that exist") {
  auto const named = tests_named();
  REQUIRE(named.size() > 35);
  for (auto const& [file, test] : named) {
    INFO(file << ": " << test);
    auto const text = test::source_file(file);
    if (file.ends_with(".bats"))
      CHECK(text.find("@test \"" + test + "\"") != std::string::npos);
    else if (file.ends_with(".py"))
      CHECK(text.find("\"\"\"" + test + "\"\"\"") != std::string::npos);
    else if (file.starts_with("test/fuzz/"))
      CHECK(text.find("void check(std::string_view") != std::string::npos);
    else
      CHECK(text.find("TEST_CASE(\"" + test + "\")") != std::string::npos);
  }
}

TEST_CASE("every row of an attack in security.md names a test") {
  std::istringstream lines(test::source_file("doc/security.md"));
  bool attacks = false;
  int rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("| attack |", 0) == 0) attacks = true;
    if (line.empty()) attacks = false;
    if (!attacks || line.rfind("| ", 0) != 0 ||
        line.rfind("| attack |", 0) == 0)
      continue;
    INFO(line);
    CHECK(line.find("`test/") != std::string::npos);
    ++rows;
  }
  CHECK(rows >= 15);
}

}  // namespace
}  // namespace gleaner::daemon
