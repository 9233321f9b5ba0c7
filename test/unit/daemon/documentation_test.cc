// SPDX-License-Identifier: Apache-2.0
/// The manual knows every key, and the example file is valid.
#include <algorithm>
#include <sstream>

#include "core/config.hh"
#include "test/unit/catch.hh"
#include "test/unit/source_file.hh"

namespace gleaner::daemon {
namespace {

TEST_CASE("gleaner.yaml(5) describes every key, with its default and unit") {
  auto const manual = test::source_file("doc/man5/gleaner.yaml.5");
  for (auto const& option : option_table()) {
    INFO(option.key);
    auto const at = manual.find("\n.BR " + std::string(option.key) + " \"");
    REQUIRE(at != std::string::npos);
    auto const heading = manual.substr(at, manual.find('\n', at + 1) - at);
    CHECK(heading.find("default") != std::string::npos);
    CHECK(heading.find(option.fallback) != std::string::npos);
  }
}

TEST_CASE("gleaner.yaml(5) describes no key that does not exist") {
  std::istringstream lines(test::source_file("doc/man5/gleaner.yaml.5"));
  for (std::string line, before; std::getline(lines, line); before = line) {
    if (before != ".TP" || line.rfind(".BR ", 0) != 0) continue;
    auto const key = line.substr(4, line.find(' ', 4) - 4);
    INFO(key);
    auto const& table = option_table();
    CHECK(std::any_of(table.begin(), table.end(),
                      [&](auto& option) { return key == option.key; }));
  }
}

TEST_CASE("the example configuration is valid") {
  auto const config = parse_config(test::source_file("src/daemon/gleaner.yaml"),
                                   "gleaner.yaml");
  INFO((config ? "" : config.error().message));
  REQUIRE(config);
  CHECK(config->mode == Config::Mode::observe);
}

}  // namespace
}  // namespace gleaner::daemon
