// SPDX-License-Identifier: Apache-2.0
/// No field of what users send to gleanerd is without bounds.
#include "proto/message_limits.hh"

#include <sstream>
#include <vector>

#include "proto/daemon_messages.hh"
#include "test/unit/catch.hh"
#include "test/unit/source_file.hh"

namespace gleaner::msg {
namespace {

using nlohmann::json;

/// The examples of protocol.md that a client or coordinator may send.
std::vector<json> examples_of_users() {
  std::istringstream lines(test::source_file("doc/protocol.md"));
  std::vector<json> found;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("{", 0) != 0) continue;
    auto const message = json::parse(line, nullptr, false);
    if (parse_from_coordinator(message) || parse_from_client(message))
      found.push_back(message);
  }
  return found;
}

std::string why_refused(json const& message) {
  auto const from_coordinator = parse_from_coordinator(message);
  auto const from_client = parse_from_client(message);
  if (from_coordinator || from_client) return "";
  auto const unknown = from_coordinator.error().message.find("unknown message");
  return unknown == std::string::npos ? from_coordinator.error().message
                                      : from_client.error().message;
}

/// Every text and list in the message, made far too large one after the other,
/// is refused with its name.
void check_bounds(json const& message, json::json_pointer const& at) {
  auto const& value = message.at(at);
  if (value.is_object()) {
    for (auto const& [key, item] : value.items())
      if (key != "type") check_bounds(message, at / key);
    return;
  }
  if (!value.is_string() && !value.is_array()) return;
  auto larger = message;
  if (value.is_string()) {
    larger.at(at) = std::string(100'000, 'x');
  } else {
    REQUIRE_FALSE(value.empty());
    check_bounds(message, at / 0);
    larger.at(at) = std::vector<json>(200'000, value.at(0));
  }
  auto const why = why_refused(larger);
  INFO(message.at("type") << at << ": " << why);
  CHECK(why.find("(at most ") != std::string::npos);
  CHECK(why.find(at.to_string().substr(1, 4)) != std::string::npos);
}

TEST_CASE("every text and every list of a user's message has a bound") {
  auto const examples = examples_of_users();
  REQUIRE(examples.size() >= 7);
  for (auto const& message : examples)
    check_bounds(message, json::json_pointer());
}

TEST_CASE("what is over its bound is refused with its name") {
  struct Row {
    json message;
    char const* why;
  };
  auto const name = std::string(256, 'n');
  auto const row = GENERATE_COPY(
      Row{{{"type", "LeaseFailed"}, {"node", name}, {"why", ""}},
          "LeaseFailed.node: 256 bytes (at most 255)"},
      Row{{{"type", "Register"},
           {"job", 1},
           {"leases", {{{"node", name}, {"lease_job", 1}}}}},
          "Register.leases[0].node: 256 bytes (at most 255)"},
      Row{{{"type", "Register"},
           {"job", 1},
           {"leases", std::vector<int>(100'001, 0)}},
          "Register.leases: 100001 entries (at most 100000)"},
      Row{{{"type", "Resized"},
           {"generation", 1},
           {"kind", "expand"},
           {"from", -1}},
          "Resized.from: expected a whole number from 0 to 1000000, got -1"},
      Row{{{"type", "Resized"},
           {"generation", 1},
           {"kind", "expand"},
           {"from", 1000001}},
          "Resized.from: expected a whole number from 0 to 1000000"});
  auto const parsed = parse_from_coordinator(row.message);
  REQUIRE_FALSE(parsed);
  INFO(parsed.error().message);
  CHECK(parsed.error().message.find(row.why) == 0);
}

TEST_CASE("what is as large as its bound is read") {
  CHECK(parse_from_coordinator({{"type", "LeaseFailed"},
                                {"node", std::string(255, 'n')},
                                {"why", std::string(4096, 'w')}}));
}

}  // namespace
}  // namespace gleaner::msg
