// SPDX-License-Identifier: Apache-2.0
/// What gleaner.yaml may hold, and how a mistake in it is reported.
#include "core/config.hh"

#include <cstdlib>

#include "test/unit/catch.hh"

namespace gleaner {
namespace {

TEST_CASE("every key has a default that its own bounds allow") {
  auto const text = to_yaml(default_config());
  auto const again = parse_config(text, "defaults");
  REQUIRE(again);
  CHECK(to_yaml(*again) == text);
}

TEST_CASE("the table documents every key") {
  for (auto const& option : option_table()) {
    INFO(option.key);
    CHECK(std::string(option.help).back() == '.');
    CHECK(to_yaml(default_config()).find(std::string(option.key) + ":") !=
          std::string::npos);
  }
}

TEST_CASE("an empty file means the defaults") {
  auto const config = parse_config("# nothing\n", "gleaner.yaml");
  REQUIRE(config);
  CHECK(config->mode == Config::Mode::observe);  // nothing is lent unless asked
  CHECK(config->forward_looking_s == 120);
  CHECK(parts_per_node(*config) == 0);  // leases are whole nodes unless asked
}

TEST_CASE("a mistake is reported with file, line, key and value") {
  struct Row {
    char const* text;
    char const* message;
  };
  auto const row = GENERATE(
      Row{"mode: on\npolcy: exact\n", "f.yaml:2: unknown key 'polcy'"},
      Row{"mode: maybe\n",
          "f.yaml:1: mode: 'maybe' is not valid (expected one of on|observe)"},
      Row{"scan_interval_ms: 5\n",
          "f.yaml:1: scan_interval_ms: '5' is not valid (expected a whole "
          "number from 10 to 600000 ms)"},
      Row{"scan_interval_ms: 1.5\n", "scan_interval_ms: '1.5' is not valid"},
      Row{"forward_looking_s: soon\n", "forward_looking_s: 'soon'"},
      Row{"forward_looking_s: nan\n", "forward_looking_s: 'nan'"},
      Row{"drained: n[1-\n", "f.yaml:1: drained: 'n[1-' is not valid"},
      Row{"drained: n1+0\n", "f.yaml:1: drained: 'n1+0' is not valid"},
      Row{"lease: part\n", "(expected one of whole|parts)"},
      Row{"parts_per_node_max: 17\n", "a whole number from 1 to 16"},
      Row{"mode: [on]\n", "expected one value"},
      Row{"- mode\n", "expected lines of the form 'key: value'"},
      Row{"mode: on\nrun_dir: {\n", "f.yaml:"});
  INFO(row.text);
  auto const config = parse_config(row.text, "f.yaml");
  REQUIRE_FALSE(config);
  CHECK(config.error().message.find(row.message) != std::string::npos);
  INFO(config.error().message);
}

TEST_CASE("the command line wins over the environment, that over the file") {
  ::setenv("GLEANER_POLICY", "equal_share", 1);
  auto const from_environment = parse_config("policy: exact\n", "f");
  auto const from_command_line =
      parse_config("policy: equal_share\n", "f", {{"policy", "exact"}});
  ::setenv("GLEANER_POLICY", "best", 1);
  auto const bad = parse_config("", "f");
  ::unsetenv("GLEANER_POLICY");
  REQUIRE(from_environment);
  CHECK(from_environment->policy == "equal_share");
  REQUIRE(from_command_line);
  CHECK(from_command_line->policy == "exact");
  REQUIRE_FALSE(bad);
  CHECK(bad.error().message.find(
            "environment GLEANER_POLICY: policy: 'best'") == 0);
}

TEST_CASE("a file that cannot be read says which and what to do") {
  auto const config = load_config("/nonexistent/gleaner.yaml");
  REQUIRE_FALSE(config);
  CHECK(config.error().code == Errc::io);
  CHECK(config.error().message.find("/nonexistent/gleaner.yaml") !=
        std::string::npos);
}

TEST_CASE("gleaner.yaml lies beside slurm.conf unless GLEANER_CONF names it") {
  ::unsetenv("GLEANER_CONF");
  ::unsetenv("SLURM_CONF");
  CHECK(config_path() == "/etc/slurm/gleaner.yaml");
  ::setenv("SLURM_CONF", "/opt/slurm/etc/slurm.conf", 1);
  CHECK(config_path() == "/opt/slurm/etc/gleaner.yaml");
  ::setenv("GLEANER_CONF", "/etc/g.yaml", 1);
  CHECK(config_path() == "/etc/g.yaml");
  ::unsetenv("GLEANER_CONF");
  ::unsetenv("SLURM_CONF");
}

}  // namespace
}  // namespace gleaner
