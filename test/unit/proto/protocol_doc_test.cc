// SPDX-License-Identifier: Apache-2.0
/// doc/protocol.md has an example of every message, and each is true.
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "proto/comm_messages.hh"
#include "proto/daemon_messages.hh"
#include "proto/runtime_messages.hh"
#include "test/unit/catch.hh"

namespace gleaner::msg {
namespace {

/// The lines between ```json and ```.
std::vector<std::string> examples() {
  char const* top = std::getenv("top_srcdir");
  std::ifstream file(std::string(top ? top : ".") + "/doc/protocol.md");
  std::vector<std::string> found;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("```", 0) == 0)
      inside = line == "```json";
    else if (inside)
      found.push_back(line);
  }
  return found;
}

template <class Message>
void collect(Result<Message> const& parsed, std::set<std::string>* written) {
  if (parsed) written->insert(to_json(*parsed).dump());
}

/// What the message becomes when it is read and written again, by every reader
/// that accepts it.
std::set<std::string> rewritten(nlohmann::json const& json) {
  std::set<std::string> written;
  collect(parse_from_member(json), &written);
  collect(parse_to_member(json), &written);
  collect(parse_from_agent(json), &written);
  collect(parse_to_agent(json), &written);
  collect(parse_from_peer(json), &written);
  collect(parse_to_peer(json), &written);
  collect(parse_from_coordinator(json), &written);
  collect(parse_to_coordinator(json), &written);
  collect(parse_from_plugin(json), &written);
  collect(parse_to_plugin(json), &written);
  collect(parse_from_client(json), &written);
  collect(parse_to_client(json), &written);
  collect(parse_from_plane(json), &written);
  collect(parse_to_plane(json), &written);
  return written;
}

TEST_CASE("every example in protocol.md is what the code writes") {
  auto const lines = examples();
  REQUIRE(lines.size() > 40);
  for (auto const& line : lines) {
    INFO(line);
    auto const json = nlohmann::json::parse(line, nullptr, false);
    REQUIRE_FALSE(json.is_discarded());
    CHECK(rewritten(json) == std::set<std::string>{line});
  }
}

TEST_CASE("every message has an example in protocol.md") {
  std::set<std::string> shown;
  for (auto const& line : examples())
    shown.insert(nlohmann::json::parse(line).at("type").get<std::string>());
  for (auto const& types :
       {runtime_message_types(), daemon_message_types(), comm_message_types()})
    for (auto const& type : types) {
      INFO(type);
      CHECK(shown.count(type) == 1);
    }
}

}  // namespace
}  // namespace gleaner::msg
